/** Text messages cost the operator money: each user has so many a day. */
import type { Queries } from '../storage/client.ts'
import { DeliveryError } from './provider.ts'
import { giveBackSms, takeSms } from './sms-store.ts'

const DAY_SECONDS = 86_400

/** Days are those of UTC, on every node alike. */
export const dayOf = (time: Date) => time.toISOString().slice(0, 10)

/** Nothing was sent: there have been enough for today. */
export class NoSmsLeft extends Error {
  override readonly name = 'NoSmsLeft'
  readonly retryAfterSeconds: number

  constructor(daily: number, now: Date) {
    super(`At most ${daily} text messages a day (BELFRY_SMS_DAILY).`)
    this.retryAfterSeconds = DAY_SECONDS - (Math.floor(now.getTime() / 1000) % DAY_SECONDS)
  }
}

interface Transactions {
  transaction<T>(work: (q: Queries) => Promise<T>): Promise<T>
}

/** Counts first, so that two at once do not both take the last one; what surely was not sent is given back. */
export async function withSmsAllowance<T>(
  db: Transactions,
  { userId, daily, now }: { userId: number; daily: number; now: Date },
  send: () => Promise<T>,
): Promise<T> {
  const day = dayOf(now)
  if (!(await db.transaction((q) => takeSms(q, userId, day, daily)))) throw new NoSmsLeft(daily, now)
  try {
    return await send()
  } catch (error) {
    const isSure = error instanceof DeliveryError && !error.uncertain
    if (isSure) await db.transaction((q) => giveBackSms(q, userId, day))
    throw error
  }
}
