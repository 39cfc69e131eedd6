/** Calculations with minutes, hours and days in UTC. */

/** Returns the start of the minute, hour or day that contains `time`. */
export function floorToStep(stepMs: number, time: Date): Date {
  return new Date(Math.floor(time.getTime() / stepMs) * stepMs)
}

/** Ignores times that are undefined. */
export function findLatest(...times: (Date | undefined)[]): Date {
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)))
}
