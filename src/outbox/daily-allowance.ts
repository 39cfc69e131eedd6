/** Limits how many messages are sent on a day. Days are those of UTC, so that all nodes agree. */
import { toUtcDay } from '../lib/local-day.ts'
import { DAY_SECONDS } from '../shared/time.ts'
import { DeliveryError, DeliveryPostponed } from './delivery-error.ts'

export class DailyLimitReached extends DeliveryPostponed {
  constructor(sentence: string, now: Date) {
    const secondsUntilMidnight = DAY_SECONDS - (Math.floor(now.getTime() / 1000) % DAY_SECONDS)
    super(sentence, secondsUntilMidnight)
  }
}

interface DailyAllowance {
  now: Date
  /** Counts one message of the day, or resolves with false if it would exceed the limit. */
  count(day: string): Promise<boolean>
  uncount(day: string): Promise<void>
  /** Says that the limit is reached. */
  limitSentence: string
}

/**
 * Counts the message before sending it, so that concurrent messages can't exceed the limit. Reverts the count if the message has
 * definitely failed. Throws a DailyLimitReached instead of sending it if the limit is reached.
 */
export async function withDailyAllowance<T>(
  { now, count, uncount, limitSentence }: DailyAllowance,
  send: () => Promise<T>,
): Promise<T> {
  const day = toUtcDay(now)
  if (!(await count(day))) throw new DailyLimitReached(limitSentence, now)
  try {
    return await send()
  } catch (error) {
    const hasDefinitelyFailed = error instanceof DeliveryError && !error.uncertain
    if (hasDefinitelyFailed) await uncount(day)
    throw error
  }
}
