/** SQL that reads checks: what they came to, and single ones. */

import { type IncidentSummary, incidentSummaryQuery } from '../incidents/store.ts'
import type { TimeWindow } from '../incidents/window.ts'
import type { Cause } from '../shared/causes.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS, queryWithFreshPlan } from '../storage/statements.ts'
import type { CheckTotals } from './series.ts'

/** For a bar of heartbeats. */
const RECENT = 60

const rolledUp = (table: string) => `select starts_at as "startsAt", total, failed, sum_ms as "sumMs", buckets, counts
    from ${table} where ${OWN_ROWS} and monitor_id = $1 and starts_at >= $2 and starts_at <= $3 order by starts_at`

export interface Rollups {
  summary: IncidentSummary
  days: CheckTotals[]
  hours: CheckTotals[]
}

/** What has been added up. undefined: there is no such monitor. */
export async function readRollups(
  q: Queries,
  monitorId: number,
  window: TimeWindow,
  { daysFrom, hoursFrom }: { daysFrom: Date | undefined; hoursFrom: Date },
): Promise<Rollups | undefined> {
  const [found, summary, hours, days] = await queryWithFreshPlan(
    q,
    { text: `select from monitors where ${OWN_ROWS} and id = $1`, values: [monitorId] },
    incidentSummaryQuery(monitorId, window),
    { text: rolledUp('check_hours'), values: [monitorId, hoursFrom, window.to] },
    ...(daysFrom === undefined ? [] : [{ text: rolledUp('check_days'), values: [monitorId, daysFrom, window.to] }]),
  )
  if (found?.count !== 1) return undefined
  return {
    summary: summary?.rows[0] as IncidentSummary,
    hours: hours?.rows as CheckTotals[],
    days: (days?.rows ?? []) as CheckTotals[],
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

/** From its beginning until just before its end. */
export type TimeSpan = readonly [from: Date, to: Date]

/** Single checks: those in the spans, added up by the hour, and the last ones, newest first. */
export async function readRawChecks(
  q: Queries,
  monitorId: number,
  spans: readonly TimeSpan[],
  until: Date,
): Promise<{ parts: CheckTotals[]; recent: StoredCheck[] }> {
  const [recent, ...sums] = await queryWithFreshPlan(
    q,
    {
      text: `select checked_at, cause is null as ok, response_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, http_status,
               packet_loss, cause, detail
          from checks where ${OWN_ROWS} and monitor_id = $1 and checked_at < $2 order by checked_at desc limit ${RECENT}`,
      values: [monitorId, until],
    },
    ...spans.map(([from, to]) => ({
      text: `select date_trunc('hour', checked_at) as "startsAt", bucket, count(*) as total, count(cause) as failed,
               coalesce(sum(response_ms), 0) as "sumMs"
          from checks where ${OWN_ROWS} and monitor_id = $1 and checked_at >= $2 and checked_at < $3 group by 1, 2`,
      values: [monitorId, from, to],
    })),
  )
  const rows = sums.flatMap((result) => result.rows) as (Omit<CheckTotals, 'buckets' | 'counts'> & {
    bucket: number | null
  })[]
  return { recent: recent?.rows as StoredCheck[], parts: rows.map(partOf) }
}

function partOf({ bucket, ...part }: Omit<CheckTotals, 'buckets' | 'counts'> & { bucket: number | null }): CheckTotals {
  return bucket === null ? { ...part, buckets: [], counts: [] } : { ...part, buckets: [bucket], counts: [part.total] }
}
