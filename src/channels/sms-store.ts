/** SQL for counting text messages per user and day. */
import type { Queries } from '../storage/transaction.ts'

/** Counts one message, or returns false if it would exceed the limit. Must run in a transaction. */
export async function countSms(q: Queries, teamId: number, day: string, limit: number): Promise<boolean> {
  const rows = await q.query(
    `insert into sms_days as days (user_id, day, sent) select $1, $2, 1 where $3 > 0
     on conflict (user_id, day) do update set sent = days.sent + 1 where days.sent < $3
     returning sent`,
    [teamId, day, limit],
  )
  return rows.length > 0
}

export async function uncountSms(q: Queries, teamId: number, day: string): Promise<void> {
  await q.query('update sms_days set sent = sent - 1 where user_id = $1 and day = $2 and sent > 0', [teamId, day])
}

/** Deletes all users' counts of the days before `before`. */
export async function deleteOldSmsCounts(q: Queries, before: string): Promise<void> {
  await q.query('delete from sms_days where day < $1', [before])
}
