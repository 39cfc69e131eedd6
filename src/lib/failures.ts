/** Lets something fail only so often, such as guessing a password. */
import { tooMany } from './problem.ts'
import type { Limit, WindowCounter } from './window-counter.ts'

/**
 * Counts an attempt under every name before it is made, so that many at once cannot slip through, and gives it back
 * when it succeeded, or came to no end: nobody is locked out because the database was away.
 */
export async function limitFailures<T>(
  counter: WindowCounter,
  limits: readonly { name: string; limit: Limit }[],
  refusal: string,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const [index, { name, limit }] of limits.entries()) {
    const taken = counter.take(name, limit)
    if (taken.allowed) continue
    for (const earlier of limits.slice(0, index)) counter.refund(earlier.name)
    throw tooMany(refusal, taken.retryAfterSeconds)
  }
  const giveBack = () => {
    for (const { name } of limits) counter.refund(name)
  }
  try {
    const result = await attempt()
    if (result !== undefined) giveBack()
    return result
  } catch (error) {
    giveBack()
    throw error
  }
}
