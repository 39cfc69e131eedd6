/** SQL for the sample website, and for the sample monitor with its history. */

import { toBucket } from '../../results/histogram.ts'
import { OWN_ROWS } from '../../storage/statements.ts'
import type { Queries } from '../../storage/transaction.ts'
import { type WebsiteRow, websiteColumns } from '../../websites/store.ts'
import type { DemoCheckTotals, DemoMonitorHistory } from './monitor-history.ts'

export async function findSampleWebsite(q: Queries): Promise<WebsiteRow | undefined> {
  const [row] = await q.query<WebsiteRow>(`select ${websiteColumns} from websites where ${OWN_ROWS} and is_sample`)
  return row
}

export type SampleWebsite = Pick<WebsiteRow, 'id' | 'domain' | 'time_zone'>

/** Reads across users. */
export async function listSampleWebsitesWithoutTraffic(q: Queries, createdBefore: Date): Promise<SampleWebsite[]> {
  return q.query<SampleWebsite>(
    `select id, domain, time_zone
       from websites w
      where is_sample and created_at < $1 and not exists (select from traffic_days d where d.website_id = w.id)`,
    [createdBefore],
  )
}

/** Until the end of the transaction, no other request creates a sample website for this user. */
export async function lockSampleWebsite(q: Queries, teamId: number): Promise<void> {
  await q.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`sample website of user ${teamId}`])
}

/** Also deletes the sample monitor with its history. A background job deletes the traffic later. Returns the website's id. */
export async function deleteSampleWebsite(q: Queries): Promise<number | undefined> {
  const [row] = await q.query<{ id: number }>(`delete from websites where ${OWN_ROWS} and is_sample returning id`)
  return row?.id
}

interface SampleOutage {
  startedAt: Date
  resolvedAt: Date
}

/** The outages of the sample monitor. All of them are over. */
export async function listSampleOutages(q: Queries, websiteId: number): Promise<SampleOutage[]> {
  return q.query<SampleOutage & Record<string, unknown>>(
    `select i.started_at as "startedAt", i.resolved_at as "resolvedAt"
       from monitors m join incidents i on i.user_id = m.user_id and i.monitor_id = m.id
      where m.sample_website_id = $1`,
    [websiteId],
  )
}

/** Makes the outages of the sample monitor due for the job 'measure the impact of incidents'. Call it after the traffic was added. */
export async function scheduleSampleMeasurements(q: Queries, websiteId: number, now: Date): Promise<void> {
  await q.query(
    `update incidents i set measure_at = $2
       from monitors m
      where m.sample_website_id = $1 and i.user_id = m.user_id and i.monitor_id = m.id`,
    [websiteId, now],
  )
}

interface SampleMonitor {
  teamId: number
  monitorId: number
  websiteId: number
  from: Date
  now: Date
  history: DemoMonitorHistory
}

/** Makes a new, paused monitor the sample monitor of the website. Call it in a transaction that runs as the user. */
export async function fillSampleMonitor(q: Queries, sample: SampleMonitor): Promise<void> {
  const { teamId, monitorId, websiteId, from, now, history } = sample
  const toDates = (times: readonly number[]) => times.map((time) => new Date(time))
  const { incidents, checks } = history
  const lastCheck = checks.at(-1)
  await q.batch(
    {
      text: `update monitors
                set sample_website_id = $2, created_at = $3
              where ${OWN_ROWS} and id = $1`,
      values: [monitorId, websiteId, from],
    },
    {
      text: `update monitor_states
                set last_checked_at = $2, last_response_ms = $3
              where ${OWN_ROWS} and monitor_id = $1`,
      values: [monitorId, lastCheck === undefined ? now : new Date(lastCheck.checkedAt), lastCheck?.responseMs ?? null],
    },
    {
      text: `insert into watches (user_id, monitor_id, started_at, ended_at) values ($1, $2, $3, $4)`,
      values: [teamId, monitorId, from, now],
    },
    {
      // With null as `measure_at`, no job measures these incidents. Their impact can't be estimated before the traffic is added.
      text: `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution, measure_at)
             select $1, $2, cause, detail, started_at, detected_at, resolved_at, 'recovered', null
               from unnest($3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[], $7::timestamptz[])
                      added (cause, detail, started_at, detected_at, resolved_at)`,
      values: [
        teamId,
        monitorId,
        incidents.map(({ cause }) => cause),
        incidents.map(({ detail }) => detail),
        toDates(incidents.map(({ startedAt }) => startedAt)),
        toDates(incidents.map(({ detectedAt }) => detectedAt)),
        toDates(incidents.map(({ resolvedAt }) => resolvedAt)),
      ],
    },
    {
      text: `insert into checks (user_id, monitor_id, checked_at, response_ms, bucket, dns_ms, connect_ms, tls_ms, first_byte_ms, http_status)
             select $1, $2, checked_at, response_ms, bucket, response_ms * 4 / 100, response_ms * 16 / 100,
                    response_ms * 24 / 100, response_ms * 52 / 100, 200
               from unnest($3::timestamptz[], $4::integer[], $5::smallint[]) added (checked_at, response_ms, bucket)`,
      values: [
        teamId,
        monitorId,
        toDates(checks.map(({ checkedAt }) => checkedAt)),
        checks.map(({ responseMs }) => responseMs),
        checks.map(({ responseMs }) => toBucket(responseMs)),
      ],
    },
    {
      text: `insert into check_days (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
             select $1, $2, starts_at, total, failed, sum_ms, buckets, counts
               from jsonb_to_recordset($3::jsonb)
                      added (starts_at timestamptz, total integer, failed integer, sum_ms bigint, buckets smallint[], counts integer[])`,
      values: [teamId, monitorId, toTotalsJson(history.days)],
    },
    {
      text: `insert into check_hours (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
             select $1, $2, starts_at, total, failed, sum_ms, buckets, counts
               from jsonb_to_recordset($3::jsonb)
                      added (starts_at timestamptz, total integer, failed integer, sum_ms bigint, buckets smallint[], counts integer[])`,
      values: [teamId, monitorId, toTotalsJson(history.hours)],
    },
  )
}

/** PostgreSQL arrays can't contain arrays of different lengths, so the totals are sent as JSON. */
function toTotalsJson(totals: readonly DemoCheckTotals[]): string {
  return JSON.stringify(
    totals.map(({ startsAt, total, failed, sumMs, buckets, counts }) => ({
      starts_at: new Date(startsAt),
      total,
      failed,
      sum_ms: sumMs,
      buckets,
      counts,
    })),
  )
}
