/** How busy connections are, for the metrics. */
export interface PoolUsage {
  inUse: number
  idle: number
  /** Callers that wait for a connection, or batches that wait behind another one. */
  waiting: number
}

export function sumUsage(usages: readonly PoolUsage[]): PoolUsage {
  const sum = (pick: (usage: PoolUsage) => number) => usages.reduce((total, usage) => total + pick(usage), 0)
  return { inUse: sum(({ inUse }) => inUse), idle: sum(({ idle }) => idle), waiting: sum(({ waiting }) => waiting) }
}
