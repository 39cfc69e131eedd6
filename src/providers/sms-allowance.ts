/** Limits the text messages of each user per day, because they cost the operator money. */
import { DeliveryError, DeliveryPostponed } from '../outbox/delivery-error.ts'
import { DAY_SECONDS } from '../shared/time.ts'
import type { Queries } from '../storage/client.ts'
import { countSms, uncountSms } from './sms-store.ts'

/** Text messages are counted per UTC day, so that all nodes agree. */
export const toUtcDay = (time: Date) => time.toISOString().slice(0, 10)

export class SmsLimitReached extends DeliveryPostponed {
  constructor(dailyLimit: number, now: Date) {
    const secondsUntilMidnight = DAY_SECONDS - (Math.floor(now.getTime() / 1000) % DAY_SECONDS)
    super(`You've reached the daily limit of ${dailyLimit} text messages (BELFRY_SMS_DAILY).`, secondsUntilMidnight)
  }
}

interface Transactions {
  transaction<T>(work: (q: Queries) => Promise<T>): Promise<T>
}

/**
 * Counts the message before sending it, so that concurrent messages cannot exceed the limit. Reverts the count if the
 * message has definitely failed.
 */
export async function withSmsAllowance<T>(
  db: Transactions,
  { userId, dailyLimit, now }: { userId: number; dailyLimit: number; now: Date },
  send: () => Promise<T>,
): Promise<T> {
  const day = toUtcDay(now)
  if (!(await db.transaction((q) => countSms(q, userId, day, dailyLimit)))) throw new SmsLimitReached(dailyLimit, now)
  try {
    return await send()
  } catch (error) {
    const hasDefinitelyFailed = error instanceof DeliveryError && !error.uncertain
    if (hasDefinitelyFailed) await db.transaction((q) => uncountSms(q, userId, day))
    throw error
  }
}
