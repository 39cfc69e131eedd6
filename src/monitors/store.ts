/** SQL of single monitors, and of several by their ids; `list-store.ts` has that of lists. */

import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/client.ts'
import { OWN_ROWS } from '../storage/statements.ts'
import type { HttpSettings } from './http-schema.ts'

export interface MonitorColumns {
  friendly_name: string
  url: string
  type: MonitorType
  interval_seconds: number
  timeout_seconds: number | null
  retries: number
  retry_interval_seconds: number
  remind_every_minutes: number
  http: Omit<HttpSettings, 'headers'> | null
  http_headers: Buffer | null
}

export interface MonitorRow extends MonitorColumns {
  id: number
  user_id: number
  status: MonitorStatus
  status_changed_at: Date
  created_at: Date
  updated_at: Date
  last_checked_at: Date | null
  last_response_ms: number | null
  last_error: string | null
  tls_expires_at: Date | null
}

export const monitorColumns = `m.id, m.user_id, m.friendly_name, m.url, m.type, m.interval_seconds, m.timeout_seconds, m.retries,
  m.retry_interval_seconds, m.remind_every_minutes, m.http, m.http_headers, m.status, m.status_changed_at, m.created_at,
  m.updated_at, s.last_checked_at, s.last_response_ms, s.last_error, s.tls_expires_at`

export const monitorsWithState = 'monitors m join monitor_states s on s.user_id = m.user_id and s.monitor_id = m.id'

const read = `select ${monitorColumns} from ${monitorsWithState} where m.${OWN_ROWS} and m.id = $1`

export interface MonitorValues {
  monitor: MonitorColumns
  searchText: string
  status: MonitorStatus
  now: Date
}

/** In the order of the statements below. */
const valuesOf = ({ monitor, searchText, status, now }: MonitorValues) => [
  monitor.friendly_name,
  monitor.url,
  monitor.type,
  monitor.interval_seconds,
  monitor.timeout_seconds,
  monitor.retries,
  monitor.retry_interval_seconds,
  monitor.remind_every_minutes,
  monitor.http,
  monitor.http_headers,
  searchText,
  status,
  now,
]

/** Needs a transaction of the user's. */
export async function insertMonitor(q: Queries, userId: number, kept: MonitorValues): Promise<number> {
  const [row] = await q.query<{ id: number }>(
    `with made as (
       insert into monitors (user_id, friendly_name, url, type, interval_seconds, timeout_seconds, retries,
         retry_interval_seconds, remind_every_minutes, http, http_headers, search_text, status, status_changed_at,
         created_at, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $14) returning user_id, id, status
     )
     insert into monitor_states (user_id, monitor_id, due_at)
     select user_id, id, case when status = 'paused' then null else $14 end from made returning monitor_id as id`,
    [userId, ...valuesOf(kept)],
  )
  return row?.id as number
}

export async function findMonitor(q: Queries, id: number): Promise<MonitorRow | undefined> {
  return (await q.query<MonitorRow>(read, [id]))[0]
}

/** Nobody else changes it until the transaction ends; what refers to it may still be added. */
export async function lockMonitor(q: Queries, id: number): Promise<MonitorRow | undefined> {
  return (await q.query<MonitorRow>(`${read} for no key update of m`, [id]))[0]
}

export async function updateMonitorRow(q: Queries, id: number, kept: MonitorValues): Promise<void> {
  await q.query(
    `update monitors set friendly_name = $2, url = $3, type = $4, interval_seconds = $5, timeout_seconds = $6,
       retries = $7, retry_interval_seconds = $8, remind_every_minutes = $9, http = $10, http_headers = $11,
       search_text = $12, status = $13, updated_at = $14,
       status_changed_at = case when status = $13 then status_changed_at else $14 end
     where ${OWN_ROWS} and id = $1`,
    [id, ...valuesOf(kept)],
  )
}

/** What was found of another kind of target says nothing any more. */
export async function clearCheckState(q: Queries, id: number): Promise<void> {
  await q.query(
    `update monitor_states set last_checked_at = null, last_response_ms = null, last_error = null, tls_expires_at = null,
       tls_warned_days = null where ${OWN_ROWS} and monitor_id = $1`,
    [id],
  )
}

/**
 * Has these monitors checked at once, or no more, on whichever node: a check that is under way is of what was, and its
 * result will find another claim here. Many are spread over a few seconds.
 */
export async function reschedule(
  q: Queries,
  ids: readonly number[],
  { from, spreadSeconds }: { from: Date; spreadSeconds: number } | { from: null; spreadSeconds: 0 },
): Promise<void> {
  await q.query(
    `update monitor_states set due_at = $2::timestamptz + random() * $3::float8 * interval '1 second', claimed_by = null,
       claim = claim + 1, failures = 0, failing_since = null,
       waiting_since = case when due_at is null or $2::timestamptz is null then null
                            when waiting_since is null then least(due_at, $2) else waiting_since end
      where ${OWN_ROWS} and monitor_id in (select unnest($1::bigint[]) order by 1)`,
    [ids, from, spreadSeconds],
  )
}

/** Those that are there. Locked in one order, so that two who want the same ones do not wait for each other. */
export async function lockMonitors(q: Queries, ids: readonly number[]): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select id from monitors where ${OWN_ROWS} and id = any ($1) order by id for no key update`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Pauses those that run, or lets those that are paused begin again. Answers with those. */
export async function setActive(q: Queries, ids: readonly number[], isActive: boolean, now: Date): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `update monitors set status = $2, status_changed_at = $3, updated_at = $3
      where ${OWN_ROWS} and id = any ($1) and (status = 'paused') = $4 returning id`,
    [ids, isActive ? 'pending' : 'paused', now, isActive],
  )
  return rows.map(({ id }) => id)
}

/** Those that are there, in the same order as others lock them. */
export async function deleteMonitors(q: Queries, ids: readonly number[]): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `with gone as materialized (
       select id from monitors where ${OWN_ROWS} and id = any ($1) order by id for update
     )
     delete from monitors where ${OWN_ROWS} and id in (select id from gone) returning id`,
    [ids],
  )
  return rows.map(({ id }) => id)
}
