/** Hours and days of UTC. */
export const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS

/** The beginning of the hour or day that a moment is in. */
export function floorTo(stepMs: number, moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / stepMs) * stepMs)
}

export function latest(...moments: (Date | undefined)[]): Date {
  return new Date(Math.max(...moments.map((moment) => moment?.getTime() ?? 0)))
}
