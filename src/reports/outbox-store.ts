/** SQL for weekly reports that wait to be sent, across users. A report is identified by user, website and week. */
import { buildNodeHasExpiredSql } from '../nodes/store.ts'
import type { DeliveryResult, OutboxMessage } from '../outbox/outbox.ts'
import type { Row, Statement } from '../storage/batch.ts'
import type { Queries } from '../storage/transaction.ts'
import type { StatisticsSite } from '../traffic/stats/statistics.ts'

export interface ReportMessage extends OutboxMessage {
  site: StatisticsSite
  week: string
  /** The email address of the person who added the website, or those of the team's owners if that person has left the team. */
  to: string[]
}

const toReportKey = ({ site, week }: ReportMessage) => [site.teamId, site.id, week]

/** Releases the claims of expired nodes, and all claims of this node. Call it while this node sends no report. */
export async function releaseAbandonedReports(q: Queries, nodeId: number): Promise<void> {
  await q.query(
    `update weekly_reports r set claimed_by = null
      where state = 'waiting' and claimed_by is not null and (claimed_by = $1 or ${buildNodeHasExpiredSql('r.claimed_by')})`,
    [nodeId],
  )
}

export function claimNextReport(nodeId: number, now: Date): Statement {
  return {
    text: `with free as materialized (
        select user_id, website_id, week from weekly_reports
         where state = 'waiting' and next_attempt_at <= $2 and claimed_by is null
         order by next_attempt_at limit 1
           for no key update skip locked
      ), claimed as (
        update weekly_reports r set claimed_by = $1 from free
         where r.user_id = free.user_id and r.website_id = free.website_id and r.week = free.week
        returning r.user_id, r.website_id, r.week, r.message_id, r.attempts, r.created_at
      )
      select w.id, w.user_id, w.domain, w.time_zone, c.week::text, recipients.emails, c.message_id, c.attempts, c.created_at
        from claimed c
        join websites w on w.user_id = c.user_id and w.id = c.website_id
       cross join lateral (
         select coalesce(array_agg(u.email) filter (where u.id = w.created_by),
                         array_agg(u.email order by u.id) filter (where m.role = 'owner')) as emails
           from team_members m
           join users u on u.id = m.user_id
          where m.team_id = w.user_id and (m.role <> 'guest')
       ) recipients`,
    values: [nodeId, now],
  }
}

/** `row` comes from `claimNextReport`. */
export function toReportMessage(row: Row): ReportMessage {
  return {
    site: { id: row['id'], teamId: row['user_id'], domain: row['domain'], timeZone: row['time_zone'] },
    week: row['week'],
    to: row['emails'],
    messageId: row['message_id'],
    attempts: row['attempts'],
    createdAt: row['created_at'],
    failuresInARow: 0,
  }
}

/** Whether this node still holds the report and its website still has weekly reports turned on. */
export async function shouldStillSend(q: Queries, nodeId: number, report: ReportMessage): Promise<boolean> {
  const rows = await q.query(
    `select from weekly_reports r join websites w on w.user_id = r.user_id and w.id = r.website_id
      where r.user_id = $1 and r.website_id = $2 and r.week = $3::date and r.state = 'waiting' and r.claimed_by = $4
        and w.email = 1`,
    [...toReportKey(report), nodeId],
  )
  return rows.length > 0
}

export function settleReport(nodeId: number, report: ReportMessage, result: DeliveryResult): Statement {
  if (result.status === 'sent') {
    // Stores that the report was sent, even if another node has claimed it or given it up in the meantime.
    return {
      text: `update weekly_reports set state = 'sent', attempts = attempts + 1, next_attempt_at = null, claimed_by = null,
          answer = $4
         where user_id = $1 and website_id = $2 and week = $3::date and state <> 'sent'`,
      values: [...toReportKey(report), result.response],
    }
  }
  const nextAttemptAt = result.status === 'retry' ? result.nextAttemptAt : null
  return {
    text: `update weekly_reports set state = case when $6::timestamptz is null then 'failed' else 'waiting' end,
        attempts = attempts + 1, next_attempt_at = $6, claimed_by = null, answer = $5
       where user_id = $1 and website_id = $2 and week = $3::date and state = 'waiting' and claimed_by = $4`,
    values: [...toReportKey(report), nodeId, result.response, nextAttemptAt],
  }
}

export async function releaseReport(
  q: Queries,
  nodeId: number,
  report: ReportMessage,
  notBefore: Date | null,
): Promise<void> {
  await q.query(
    `update weekly_reports set claimed_by = null, next_attempt_at = coalesce($5, next_attempt_at)
      where user_id = $1 and website_id = $2 and week = $3::date and state = 'waiting' and claimed_by = $4`,
    [...toReportKey(report), nodeId, notBefore],
  )
}

export async function cancelReport(q: Queries, nodeId: number, report: ReportMessage): Promise<void> {
  await q.query(
    `update weekly_reports set state = 'failed', next_attempt_at = null, claimed_by = null,
       answer = 'Weekly reports were turned off before this one was sent.'
      where user_id = $1 and website_id = $2 and week = $3::date and state = 'waiting' and claimed_by = $4`,
    [...toReportKey(report), nodeId],
  )
}
