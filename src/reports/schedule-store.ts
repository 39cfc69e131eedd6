/** SQL that decides which weekly reports are due, across users. */
import type { Queries } from '../storage/transaction.ts'

/**
 * Adds reports for up to `limit` websites whose report is due, and returns the number of these websites. It is a single
 * statement, so each website gets both its report and its next due date, or neither. New reports replace earlier ones
 * that are still waiting.
 *
 * The report of a week is due on the following Monday at 8:00. So the query treats Monday at 8:00 as the beginning of a
 * week: it subtracts eight hours from the current time, and adds the report of the week before.
 */
export async function insertDueReports(q: Queries, now: Date, limit: number): Promise<number> {
  const rows = await q.query(
    `with due as materialized (
       select user_id, id from websites where report_due_at <= $1 order by report_due_at limit $2
         for no key update skip locked
     ), rescheduled as (
       update websites w set report_due_at = next_report($1, w.time_zone)
         from due where w.user_id = due.user_id and w.id = due.id
       returning w.user_id, w.id as website_id,
         date_trunc('week', ($1::timestamptz at time zone w.time_zone) - interval '8 hours')::date - 7 as week
     ), inserted as (
       insert into weekly_reports (user_id, website_id, week, message_id, created_at, next_attempt_at)
       select user_id, website_id, week, gen_random_uuid(), $1, $1 from rescheduled
       on conflict do nothing
     ), replaced as (
       update weekly_reports r set state = 'failed', next_attempt_at = null, answer = 'Replaced by the next report.'
         from rescheduled s
        where r.user_id = s.user_id and r.website_id = s.website_id and r.state = 'waiting' and r.week < s.week
     )
     select from rescheduled`,
    [now, limit],
  )
  return rows.length
}

/** Sets the next due date of up to `limit` websites without adding reports. Returns the number of these websites. */
export async function skipDueReports(q: Queries, now: Date, limit: number): Promise<number> {
  const rows = await q.query(
    `with due as materialized (
       select user_id, id from websites where report_due_at <= $1 order by report_due_at limit $2
         for no key update skip locked
     )
     update websites w set report_due_at = next_report($1, w.time_zone)
       from due where w.user_id = due.user_id and w.id = due.id
     returning w.id`,
    [now, limit],
  )
  return rows.length
}

/** Keeps reports that are still waiting to be sent, however old they are. */
export async function deleteOldReports(q: Queries, now: Date): Promise<void> {
  await q.query(
    `delete from weekly_reports where created_at < $1::timestamptz - interval '1 year' and state <> 'waiting'`,
    [now],
  )
}
