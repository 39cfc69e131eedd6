/** SQL for reading check results: rollups and raw checks. */

import type { TimeWindow } from '../incidents/window.ts'
import type { Cause } from '../shared/causes.ts'
import { queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { buildMonitorHistoryQueries, getHistory, toHistories } from '../uptime/store.ts'
import type { MonitorHistory } from '../uptime/uptime.ts'
import type { CheckTotals } from './series.ts'

const readHoursSql = `
  select starts_at as "startsAt", total, failed, sum_ms as "sumMs", buckets, counts
    from check_hours
   where user_id = own_team() and monitor_id = $1 and starts_at >= $2 and starts_at <= $3
   order by starts_at`

const readDaysSql = `
  select starts_at as "startsAt", total, failed, sum_ms as "sumMs", buckets, counts
    from check_days
   where user_id = own_team() and monitor_id = $1 and starts_at >= $2 and starts_at <= $3
   order by starts_at`

export interface Rollups {
  history: MonitorHistory
  days: CheckTotals[]
  hours: CheckTotals[]
}

/** Returns undefined if the caller has no such monitor. */
export async function readRollups(
  q: Queries,
  monitorId: number,
  window: TimeWindow,
  { daysFrom, hoursFrom }: { daysFrom: Date | undefined; hoursFrom: Date },
): Promise<Rollups | undefined> {
  const historyQueries = buildMonitorHistoryQueries(monitorId, window.from)
  const [monitor, hours, ...others] = await queryWithFreshPlan(
    q,
    { text: 'select from monitors where user_id = own_team() and id = $1', values: [monitorId] },
    { text: readHoursSql, values: [monitorId, hoursFrom, window.to] },
    ...historyQueries,
    ...(daysFrom === undefined ? [] : [{ text: readDaysSql, values: [monitorId, daysFrom, window.to] }]),
  )
  if (monitor?.count !== 1) return undefined
  return {
    history: getHistory(toHistories(others.slice(0, historyQueries.length)), monitorId),
    hours: hours?.rows as CheckTotals[],
    days: (others[historyQueries.length]?.rows ?? []) as CheckTotals[],
  }
}

export interface StoredCheck {
  checked_at: Date
  ok: boolean
  response_ms: number | null
  dns_ms: number | null
  connect_ms: number | null
  tls_ms: number | null
  first_byte_ms: number | null
  http_status: number | null
  packet_loss: number | null
  cause: Cause | null
  detail: string | null
}

/** `from` is inclusive, `to` is exclusive. */
export type TimeSpan = readonly [from: Date, to: Date]

const readRecentSql = `
  select checked_at, cause is null as ok, response_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, http_status,
         packet_loss, cause, detail
    from checks
   where user_id = own_team() and monitor_id = $1 and checked_at >= $2 and checked_at < $3
   order by checked_at desc
   limit $4`

const readBucketTotalsSql = `
  select date_trunc($4, checked_at) as "startsAt",
         bucket,
         count(*) as total,
         count(cause) as failed,
         coalesce(sum(response_ms), 0) as "sumMs"
    from checks
   where user_id = own_team() and monitor_id = $1 and checked_at >= $2 and checked_at < $3
   group by 1, 2`

type BucketTotals = Omit<CheckTotals, 'buckets' | 'counts'> & { bucket: number | null }

interface RawChecksQuery {
  /** The checks to aggregate. */
  spans: readonly TimeSpan[]
  /** The length of the periods for which checks are aggregated. */
  period: 'minute' | 'hour'
  /** The checks to list, newest first. */
  recent: { span: TimeSpan; limit: number }
}

export async function readRawChecks(
  q: Queries,
  monitorId: number,
  { spans, period, recent }: RawChecksQuery,
): Promise<{ totals: CheckTotals[]; recentChecks: StoredCheck[] }> {
  const [recentChecks, ...totals] = await queryWithFreshPlan(
    q,
    { text: readRecentSql, values: [monitorId, ...recent.span, recent.limit] },
    ...spans.map(([from, to]) => ({ text: readBucketTotalsSql, values: [monitorId, from, to, period] })),
  )
  const rows = totals.flatMap((result) => result.rows) as BucketTotals[]
  return { recentChecks: recentChecks?.rows as StoredCheck[], totals: rows.map(toCheckTotals) }
}

function toCheckTotals({ bucket, ...totals }: BucketTotals): CheckTotals {
  if (bucket === null) return { ...totals, buckets: [], counts: [] }
  return { ...totals, buckets: [bucket], counts: [totals.total] }
}
