/** Where the time comes from: injected, so that tests can set it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export function after(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms)
}
