/** SQL of how many text messages a user was sent on a day. */
import type { Queries } from '../storage/client.ts'

/** Counts one more, unless that would be too many. Needs a transaction of the user's. */
export async function takeSms(q: Queries, userId: number, day: string, most: number): Promise<boolean> {
  const rows = await q.query(
    `insert into sms_days as days (user_id, day, sent) select $1, $2, 1 where $3 > 0
     on conflict (user_id, day) do update set sent = days.sent + 1 where days.sent < $3
     returning sent`,
    [userId, day, most],
  )
  return rows.length > 0
}

/** One that surely did not go out. */
export async function giveBackSms(q: Queries, userId: number, day: string): Promise<void> {
  await q.query('update sms_days set sent = sent - 1 where user_id = $1 and day = $2 and sent > 0', [userId, day])
}

/** Across users. */
export async function dropOldSmsDays(q: Queries, before: string): Promise<void> {
  await q.query('delete from sms_days where day < $1', [before])
}
