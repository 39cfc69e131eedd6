/** SQL that inserts the history of monitors, as the checker and the outbox would have written it. */
import { randomUUID } from 'node:crypto'
import { toBucket } from '../../src/results/histogram.ts'
import type { MonitorType } from '../../src/shared/monitors.ts'
import type { Database } from '../../src/storage/database.ts'
import type { MonitorHistory } from './monitor-history.ts'
import type { ResultSum, SampleCheck } from './response-times.ts'
import { now } from './sample-data.ts'

/** The end of statements that select values for one monitor. Their parameter $1 is the monitor's id. */
const fromMonitorSql = 'from monitors m where m.id = $1'

export async function insertHistory(
  db: Database,
  monitorId: number,
  { monitoredFrom, monitoredUntil, incidents }: MonitorHistory,
) {
  await db.query(
    `insert into watches (user_id, monitor_id, started_at, ended_at) select m.user_id, m.id, $2, $3 ${fromMonitorSql}`,
    [monitorId, monitoredFrom, monitoredUntil],
  )
  const incidentIds: number[] = []
  for (const { cause, detail, startedAt, detectedAt, resolvedAt } of incidents) {
    const [row] = await db.query<{ id: number }>(
      // The pictures have a fixed time, but the default of `measure_at` is the database's current time. So the
      // statement sets it.
      `insert into incidents (user_id, monitor_id, cause, detail, started_at, detected_at, resolved_at, resolution, measure_at)
       select m.user_id, m.id, $2, $3, $4, $5, $6, $7, $8 ${fromMonitorSql} returning id`,
      [monitorId, cause, detail, startedAt, detectedAt, resolvedAt, resolvedAt && 'recovered', now],
    )
    incidentIds.push(row?.id as number)
  }
  return incidentIds
}

export interface MonitorState {
  status: 'up' | 'down' | 'paused'
  since: Date
  createdAt: Date
  lastCheck: SampleCheck | undefined
  expiresAt: Date | null
}

export async function setMonitorState(db: Database, monitorId: number, state: MonitorState): Promise<void> {
  const { status, since, createdAt, lastCheck, expiresAt } = state
  await db.batch(
    {
      text: 'update monitors set status = $2, status_changed_at = $3, created_at = $4, updated_at = $4 where id = $1',
      values: [monitorId, status, since, createdAt],
    },
    {
      text: `update monitor_states set last_checked_at = $2, last_response_ms = $3, last_error = $4, tls_expires_at = $5
              where monitor_id = $1`,
      values: [monitorId, lastCheck && new Date(lastCheck.at), lastCheck?.ms, lastCheck?.incident?.detail, expiresAt],
    },
  )
}

export async function insertResultSums(
  db: Database,
  table: 'check_hours' | 'check_days',
  monitorId: number,
  sums: Iterable<ResultSum>,
): Promise<void> {
  const rows = [...sums].map(({ startsAt, total, failed, sumMs, buckets }) => {
    const sortedBuckets = [...buckets].sort(([one], [other]) => one - other)
    return {
      starts_at: new Date(startsAt),
      total,
      failed,
      sum_ms: sumMs,
      buckets: sortedBuckets.map(([bucket]) => bucket),
      counts: sortedBuckets.map(([, count]) => count),
    }
  })
  await db.query(
    `insert into ${table} (user_id, monitor_id, starts_at, total, failed, sum_ms, buckets, counts)
     select m.user_id, m.id, s.starts_at, s.total, s.failed, s.sum_ms, s.buckets, s.counts
       from monitors m, jsonb_to_recordset($2::jsonb) as s (starts_at timestamptz, total integer, failed integer,
              sum_ms bigint, buckets smallint[], counts integer[])
      where m.id = $1`,
    [monitorId, JSON.stringify(rows)],
  )
}

/** The shares of the response time that DNS lookup, connection and TLS handshake take. */
const phaseShares = { dns: 0.05, connect: 0.15, tls: 0.2 }

function toCheckRow({ at, ms, incident }: SampleCheck, type: MonitorType) {
  const hasHttpResponse = ms !== null && type === 'http'
  const computePhaseMs = (share: number) => (hasHttpResponse ? Math.round(ms * share) : null)
  return {
    checked_at: new Date(at),
    cause: incident?.cause,
    detail: incident?.detail,
    response_ms: ms,
    bucket: ms === null ? null : toBucket(ms),
    dns_ms: computePhaseMs(phaseShares.dns),
    connect_ms: computePhaseMs(phaseShares.connect),
    tls_ms: computePhaseMs(phaseShares.tls),
    first_byte_ms: computePhaseMs(0.9 - phaseShares.dns - phaseShares.connect - phaseShares.tls),
    http_status: hasHttpResponse ? Number(/^Status (\d+)/.exec(incident?.detail ?? '')?.[1] ?? 200) : null,
    packet_loss: type === 'ping' ? (ms === null ? 100 : 0) : null,
  }
}

export async function insertChecks(
  db: Database,
  { id, type }: { id: number; type: MonitorType },
  checks: readonly SampleCheck[],
): Promise<void> {
  await db.query(
    `insert into checks select m.user_id, m.id, c.* from monitors m, jsonb_to_recordset($2::jsonb) as c (
       checked_at timestamptz, cause text, detail text, response_ms integer, bucket smallint, dns_ms integer,
       connect_ms integer, tls_ms integer, first_byte_ms integer, http_status smallint, packet_loss smallint)
      where m.id = $1`,
    [id, JSON.stringify(checks.map((check) => toCheckRow(check, type)))],
  )
}

export interface SampleAlert {
  channelId: number
  incidentId: number
  event: 'down' | 'recovered'
  title: string
  body: string
  at: Date
}

export async function insertAlerts(db: Database, monitorId: number, alerts: readonly SampleAlert[]): Promise<void> {
  for (const { channelId, incidentId, event, title, body, at } of alerts) {
    await db.query(
      `insert into alerts (user_id, monitor_id, provider_id, event, incident_id, message_id, title, body, state, attempts,
         created_at, last_attempt_at, answer)
       select m.user_id, m.id, $2, $3, $4, $5, $6, $7, 'sent', 1, $8, $8, 'ok' ${fromMonitorSql}`,
      [monitorId, channelId, event, incidentId, randomUUID(), title, body, at],
    )
  }
}

interface SampleBeat {
  received_at: Date
  kind: string
  exit_code: number | null
  is_failure: boolean
  duration_ms: number | null
}

/** Stores a beat for the end of each run and, if its duration is known, one for its start. `runs` begin with the oldest. */
export async function insertBeats(
  db: Database,
  monitorId: number,
  runs: readonly SampleCheck[],
  output: string,
): Promise<void> {
  const beats = runs.flatMap(({ at, ms, incident }): SampleBeat[] => {
    const end = { received_at: new Date(at), kind: 'finish', exit_code: incident ? 1 : 0, is_failure: incident != null }
    if (ms === null) return [{ ...end, duration_ms: null }]
    const start = { received_at: new Date(at - ms), kind: 'start', exit_code: null, is_failure: false }
    return [
      { ...start, duration_ms: null },
      { ...end, duration_ms: ms },
    ]
  })
  const rows = beats.map((beat, id) => ({ id, ...beat }))
  const lastAt = beats.at(-1)?.received_at
  await db.batch(
    {
      text: `insert into beats (user_id, monitor_id, id, received_at, kind, exit_code, is_failure, duration_ms)
             select m.user_id, m.id, b.* from monitors m, jsonb_to_recordset($2::jsonb) as b (
               id bigint, received_at timestamptz, kind text, exit_code smallint, is_failure boolean, duration_ms bigint)
              where m.id = $1`,
      values: [monitorId, JSON.stringify(rows)],
    },
    {
      text: `insert into heartbeats (user_id, monitor_id, last_beat_at, schedule, last_output, last_output_at)
             select m.user_id, m.id, $2, '', $3, $2 ${fromMonitorSql}`,
      values: [monitorId, lastAt, output],
    },
  )
}

/** Sets the times of the updates of a post on a status page. The first update is the post itself. */
export async function backdatePost(db: Database, postId: number, updatedAt: readonly Date[]): Promise<void> {
  await db.batch(
    {
      text: `update status_post_updates u set created_at = n.at, updated_at = n.at
               from (select id, row_number() over (order by id) as n from status_post_updates where post_id = $1) o
               join unnest($2::timestamptz[]) with ordinality as n (at, n) using (n)
              where u.id = o.id`,
      values: [postId, updatedAt],
    },
    {
      text: `update status_posts set created_at = $2, updated_at = $3,
                    resolved_at = case when resolved_at is not null then $3::timestamptz end
              where id = $1`,
      values: [postId, updatedAt[0], updatedAt.at(-1)],
    },
  )
}

export async function insertSubscribers(db: Database, pageId: number, count: number): Promise<void> {
  await db.query(
    `insert into status_subscribers (user_id, page_id, email, email_key, state, all_monitors, confirmed_at, created_at)
     select p.user_id, p.id, e.email, e.email, 'confirmed', true, p.created_at, p.created_at
       from status_pages p, lateral (select 'reader' || n || '@example.com' as email from generate_series(1, $2) n) e
      where p.id = $1`,
    [pageId, count],
  )
}

/** Sets creation times to before the history begins. */
export async function backdateResources(db: Database, createdAt: Date): Promise<void> {
  for (const table of ['websites', 'providers', 'assignments']) {
    await db.query(`update ${table} set created_at = $1${table === 'assignments' ? '' : ', updated_at = $1'}`, [
      createdAt,
    ])
  }
}
