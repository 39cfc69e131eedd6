/** Calculations with hours and days in UTC. */

/** The start of the hour or day that contains `time`. */
export function floorToStep(stepMs: number, time: Date): Date {
  return new Date(Math.floor(time.getTime() / stepMs) * stepMs)
}

/** Ignores times that are undefined. */
export function findLatest(...times: (Date | undefined)[]): Date {
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)))
}
