/** Hours and days of UTC. */

/** The beginning of the hour or day that a moment is in. */
export function floorToStep(stepMs: number, moment: Date): Date {
  return new Date(Math.floor(moment.getTime() / stepMs) * stepMs)
}

export function latest(...moments: (Date | undefined)[]): Date {
  return new Date(Math.max(...moments.map((moment) => moment?.getTime() ?? 0)))
}
