/** The source of the current time. It is injected, so that tests can set it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export function addMs(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms)
}

/** Resolves with the result of `work`, or with undefined after `ms`. The work isn't cancelled and continues in the background. */
export async function waitAtMost<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
}
