/** Limits the text messages of each user per day, because they cost the operator money. */
import { withDailyAllowance } from '../outbox/daily-allowance.ts'
import type { Queries } from '../storage/transaction.ts'
import { countSms, uncountSms } from './sms-store.ts'

interface Transactions {
  transaction<T>(work: (q: Queries) => Promise<T>): Promise<T>
}

export function withSmsAllowance<T>(
  db: Transactions,
  { teamId, dailyLimit, now }: { teamId: number; dailyLimit: number; now: Date },
  send: () => Promise<T>,
): Promise<T> {
  const allowance = {
    now,
    count: (day: string) => db.transaction((q) => countSms(q, teamId, day, dailyLimit)),
    uncount: (day: string) => db.transaction((q) => uncountSms(q, teamId, day)),
    limitSentence: `You've reached the daily limit of ${dailyLimit} text messages (BELFRY_SMS_DAILY).`,
  }
  return withDailyAllowance(allowance, send)
}
