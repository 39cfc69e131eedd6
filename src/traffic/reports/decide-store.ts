/** SQL of which reports are to be sent, across users. */
import type { Queries } from '../../storage/client.ts'

/** The websites whose time has come, locked until the transaction ends; what another node is at is its own. */
const takeDue = `due as materialized (
    select user_id, id from websites where report_due_at <= $1 order by report_due_at limit $2
      for no key update skip locked
  ), moved as (
    update websites w set report_due_at = next_report($1, w.time_zone)
      from due where w.user_id = due.user_id and w.id = due.id
    returning w.user_id, w.id, w.time_zone
  )`

/** At Monday 8 o'clock the week before is the latest. */
const latestWeek = `(date_trunc('week', ($1::timestamptz at time zone time_zone) - interval '8 hours')::date - 7)`

/**
 * Decides on so many, and says how many there were. A statement is a transaction: either a website has its report and its
 * next time, or neither. What still waits of earlier weeks is no news any more.
 */
export async function decideReports(q: Queries, now: Date, limit: number): Promise<number> {
  const rows = await q.query(
    `with ${takeDue}, added as (
       insert into weekly_reports (user_id, website_id, week, message_id, created_at, next_attempt_at)
       select user_id, id, ${latestWeek}, gen_random_uuid(), $1, $1 from moved
       on conflict do nothing
     ), outdated as (
       update weekly_reports r set state = 'failed', next_attempt_at = null, answer = 'The next report took its place.'
         from moved m
        where r.user_id = m.user_id and r.website_id = m.id and r.state = 'waiting' and r.week < ${latestWeek}
     )
     select from moved`,
    [now, limit],
  )
  return rows.length
}

/** The same without a report. */
export async function skipReports(q: Queries, now: Date, limit: number): Promise<number> {
  return (await q.query(`with ${takeDue} select from moved`, [now, limit])).length
}

/** What still waits stays, however old. */
export async function dropOldReports(q: Queries, now: Date): Promise<void> {
  await q.query(
    `delete from weekly_reports where created_at < $1::timestamptz - interval '1 year' and state <> 'waiting'`,
    [now],
  )
}
