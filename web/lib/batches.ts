/** What one request may hold, for lists that may be longer. */
export const MAX_BATCH_SIZE = 1_000

export function splitIntoBatches<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / MAX_BATCH_SIZE) }, (_, n) => all.slice(n * MAX_BATCH_SIZE, (n + 1) * MAX_BATCH_SIZE))
}
