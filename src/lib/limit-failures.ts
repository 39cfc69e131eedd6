/** Limits how often an attempt may fail, for example guessing a password. */
import { rateLimited } from './problem.ts'
import type { RateLimit, WindowCounter } from './window-counter.ts'

/**
 * `attempt` fails by resolving to undefined. Every attempt is counted before it begins, so that concurrent attempts can't exceed
 * the limit. An attempt that succeeds or throws no longer counts afterwards: an error, such as an unavailable database, must lock
 * nobody out.
 */
export async function limitFailures<T>(
  counter: WindowCounter,
  limits: readonly { name: string; limit: RateLimit }[],
  refusalMessage: string,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const [index, { name, limit }] of limits.entries()) {
    const { allowed, retryAfterSeconds } = counter.take(name, limit)
    if (allowed) continue
    for (const earlier of limits.slice(0, index)) counter.refund(earlier.name)
    throw rateLimited(refusalMessage, retryAfterSeconds)
  }
  const refundAll = () => {
    for (const { name } of limits) counter.refund(name)
  }
  try {
    const result = await attempt()
    if (result !== undefined) refundAll()
    return result
  } catch (error) {
    refundAll()
    throw error
  }
}
