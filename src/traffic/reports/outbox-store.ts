/** SQL of reports on their way, across users: who sends which, and what became of it. */
import { keepOrder } from '../../alerts/outbox-store.ts'
import type { Outcome } from '../../alerts/outcome.ts'
import { isAbandoned } from '../../nodes/store.ts'
import type { Queries } from '../../storage/client.ts'
import type { Site } from '../stats/statistics.ts'

export interface WaitingReport {
  site: Site
  week: string
  /** The address of the owner. */
  to: string
  messageId: string
  /** So far. */
  attempts: number
  createdAt: Date
}

/** A report is known by these. */
type Key = Pick<WaitingReport, 'site' | 'week'>

const keyed = 'user_id = $1 and website_id = $2 and week = $3::date'
const keyOf = ({ site, week }: Key) => [site.userId, site.id, week]

/**
 * Gives back what nodes held that are gone, and what this one is said to hold but does not: an answer of the database was
 * lost. Whoever calls it has nothing in hand.
 */
export async function freeAbandoned(q: Queries, node: number): Promise<void> {
  await q.query(
    `update weekly_reports r set claimed_by = null
      where state = 'waiting' and claimed_by is not null and (claimed_by = $1 or ${isAbandoned('r.claimed_by')})`,
    [node],
  )
}

interface ClaimedRow {
  id: number
  userId: number
  domain: string
  timeZone: string
  week: string
  to: string
  messageId: string
  attempts: number
  createdAt: Date
}

/** The next that is due and that nobody has. */
export async function claimNext(q: Queries, node: number, now: Date): Promise<WaitingReport | undefined> {
  const [, found] = await q.flight(keepOrder, {
    text: `with free as materialized (
       select user_id, website_id, week from weekly_reports
        where state = 'waiting' and next_attempt_at <= $2 and claimed_by is null
        order by next_attempt_at limit 1
          for no key update skip locked
     ), mine as (
       update weekly_reports r set claimed_by = $1 from free
        where r.user_id = free.user_id and r.website_id = free.website_id and r.week = free.week
       returning r.*
     )
     select w.id, w.user_id as "userId", w.domain, w.time_zone as "timeZone", mine.week::text, u.email as "to",
            mine.message_id as "messageId", mine.attempts, mine.created_at as "createdAt"
       from mine join websites w on w.user_id = mine.user_id and w.id = mine.website_id join users u on u.id = w.user_id`,
    values: [node, now],
  })
  const row = found?.rows[0] as ClaimedRow | undefined
  if (row === undefined) return undefined
  const { id, userId, domain, timeZone, ...rest } = row
  return { site: { id, userId, domain, timeZone }, ...rest }
}

/** Whether it is still there, this node's and wanted. */
export async function isWanted(q: Queries, node: number, report: Key): Promise<boolean> {
  const rows = await q.query(
    `select from weekly_reports r join websites w on w.user_id = r.user_id and w.id = r.website_id
      where r.${keyed} and r.state = 'waiting' and r.claimed_by = $4 and w.email = 1`,
    [...keyOf(report), node],
  )
  return rows.length > 0
}

export async function settle(
  q: Queries,
  node: number,
  { report, outcome }: { report: Key; outcome: Outcome },
): Promise<void> {
  if (outcome.result === 'sent') {
    // What was taken was taken, even if it has become another node's or was given up meanwhile.
    await q.query(
      `update weekly_reports set state = 'sent', attempts = attempts + 1, next_attempt_at = null, claimed_by = null,
         answer = $4 where ${keyed} and state <> 'sent'`,
      [...keyOf(report), outcome.answer],
    )
    return
  }
  const nextAttemptAt = outcome.result === 'again' ? outcome.nextAttemptAt : null
  await q.query(
    `update weekly_reports set state = case when $6::timestamptz is null then 'failed' else 'waiting' end,
       attempts = attempts + 1, next_attempt_at = $6, claimed_by = null, answer = $5
      where ${keyed} and state = 'waiting' and claimed_by = $4`,
    [...keyOf(report), node, outcome.answer, nextAttemptAt],
  )
}

/** Nothing was tried, or it does not count. */
export async function release(q: Queries, node: number, report: Key, notBefore: Date | null = null): Promise<void> {
  await q.query(
    `update weekly_reports set claimed_by = null, next_attempt_at = coalesce($5, next_attempt_at)
      where ${keyed} and state = 'waiting' and claimed_by = $4`,
    [...keyOf(report), node, notBefore],
  )
}

/** Its owner does not want it any more. */
export async function dismiss(q: Queries, node: number, report: Key): Promise<void> {
  await q.query(
    `update weekly_reports set state = 'failed', next_attempt_at = null, claimed_by = null,
       answer = 'It was switched off before it was sent.'
      where ${keyed} and state = 'waiting' and claimed_by = $4`,
    [...keyOf(report), node],
  )
}
