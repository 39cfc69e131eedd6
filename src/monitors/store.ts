/** SQL for single monitors and bulk changes. `list-store.ts` has the SQL for lists. */

import pg from 'pg'
import { downSinceSql } from '../incidents/store.ts'
import { invalid } from '../lib/problem.ts'
import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import type { HttpSettings } from './http-schema.ts'
import type { TypeOptions } from './option-schemas.ts'

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
  /** Encrypted. */
  http_headers: Buffer | null
  /** Settings of the types tcp, dns, tls, domain and heartbeat. */
  options: TypeOptions[keyof TypeOptions] | null
  tags: string[]
  tag_keys: string[]
  depends_on: number | null
}

/** All columns are null unless the monitor is a heartbeat. */
export interface BeatTokenColumns {
  /** Encrypted. */
  beat_token: Buffer | null
  beat_hash: Buffer | null
}

export interface MonitorRow extends MonitorColumns, BeatTokenColumns {
  id: number
  user_id: number
  /** The website that a monitor of type traffic watches. null for other types. */
  website_id: number | null
  /** The end of the maintenance in progress. It may have passed. */
  maintenance_until: Date | null
  status: MonitorStatus
  status_changed_at: Date
  /** Start of the ongoing incident. null unless the monitor is down. */
  down_since: Date | null
  /** Whether it is the sample monitor, whose history is generated. */
  is_sample: boolean
  created_at: Date
  updated_at: Date
  last_checked_at: Date | null
  last_response_ms: number | null
  last_error: string | null
  /** When the certificate expires; for type domain, when the registration of the domain expires. */
  tls_expires_at: Date | null
}

/** The columns that a `MonitorRow` consists of. */
export const monitorColumnsSql = `
  m.id, m.user_id, m.website_id, m.friendly_name, m.url, m.type, m.interval_seconds, m.timeout_seconds, m.retries,
  m.retry_interval_seconds, m.remind_every_minutes, m.http, m.http_headers, m.options, m.tags, m.tag_keys, m.depends_on,
  m.beat_token, m.beat_hash, m.maintenance_until, m.status, m.status_changed_at, m.sample_website_id is not null as is_sample, m.created_at,
  m.updated_at, s.last_checked_at, s.last_response_ms, s.last_error, s.tls_expires_at, ${downSinceSql} as down_since`

export const monitorsWithStateSql = 'monitors m join monitor_states s on s.user_id = m.user_id and s.monitor_id = m.id'

const selectMonitorSql = `
  select ${monitorColumnsSql}
    from ${monitorsWithStateSql}
   where m.user_id = own_team() and m.id = $1`

export async function findMonitor(q: Queries, id: number): Promise<MonitorRow | undefined> {
  return (await q.query<MonitorRow>(selectMonitorSql, [id]))[0]
}

/** Blocks other changes of the monitor until the transaction ends. Rows that reference it can still be inserted. */
export async function lockMonitor(q: Queries, id: number): Promise<MonitorRow | undefined> {
  return (await q.query<MonitorRow>(`${selectMonitorSql} for no key update of m`, [id]))[0]
}

export interface MonitorValues {
  monitor: MonitorColumns & BeatTokenColumns
  searchText: string
  status: MonitorStatus
  now: Date
}

/** The parameters $2 to $20 of the insert and the update. */
const toMonitorParameters = ({ monitor, searchText, status, now }: MonitorValues) => [
  /* $2 */ monitor.friendly_name,
  /* $3 */ monitor.url,
  /* $4 */ monitor.type,
  /* $5 */ monitor.interval_seconds,
  /* $6 */ monitor.timeout_seconds,
  /* $7 */ monitor.retries,
  /* $8 */ monitor.retry_interval_seconds,
  /* $9 */ monitor.remind_every_minutes,
  /* $10 */ monitor.http,
  /* $11 */ monitor.http_headers,
  /* $12 */ searchText,
  /* $13 */ status,
  /* $14 */ now,
  /* $15 */ monitor.options,
  /* $16 */ monitor.tags,
  /* $17 */ monitor.tag_keys,
  /* $18 */ monitor.depends_on,
  /* $19 */ monitor.beat_token,
  /* $20 */ monitor.beat_hash,
]

/** Finds the monitor of type traffic of a website, and blocks other changes of it until the transaction ends. */
export async function lockTrafficMonitor(
  q: Queries,
  websiteId: number,
): Promise<{ id: number; status: MonitorStatus } | undefined> {
  const [row] = await q.query<{ id: number; status: MonitorStatus }>(
    `select id, status
       from monitors
      where user_id = own_team() and website_id = $1
        for update`,
    [websiteId],
  )
  return row
}

/** Call this in a transaction that runs as the team `teamId`. `websiteId` is null unless the type is traffic. */
export async function insertMonitor(
  q: Queries,
  teamId: number,
  { websiteId = null, ...values }: MonitorValues & { websiteId?: number | null },
): Promise<number> {
  const [row] = await q.query<{ id: number }>(
    `with inserted as (
       insert into monitors (user_id, friendly_name, url, type, interval_seconds, timeout_seconds, retries,
                             retry_interval_seconds, remind_every_minutes, http, http_headers, search_text,
                             status, status_changed_at, created_at, updated_at, options, tags, tag_keys, depends_on,
                             beat_token, beat_hash, website_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14, $14, $15, $16, $17, $18, $19, $20, $21)
       returning user_id, id, status
     )
     insert into monitor_states (user_id, monitor_id, due_at)
     select user_id, id, case when status = 'paused' then null else $14 end
       from inserted
     returning monitor_id as id`,
    [teamId, ...toMonitorParameters(values), websiteId],
  )
  return row?.id as number
}

export async function updateMonitorRow(q: Queries, id: number, values: MonitorValues): Promise<void> {
  const update = q.query(
    `update monitors
        set friendly_name = $2,
            url = $3,
            type = $4,
            interval_seconds = $5,
            timeout_seconds = $6,
            retries = $7,
            retry_interval_seconds = $8,
            remind_every_minutes = $9,
            http = $10,
            http_headers = $11,
            search_text = $12,
            status = $13,
            status_changed_at = case when status = $13 then status_changed_at else $14 end,
            updated_at = $14,
            options = $15,
            tags = $16,
            tag_keys = $17,
            depends_on = $18,
            beat_token = $19,
            beat_hash = $20
      where user_id = own_team() and id = $1`,
    [id, ...toMonitorParameters(values)],
  )
  await update.catch(translateSampleError)
}

function translateSampleError(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.constraint === 'monitors_sample_check') {
    throw invalid({
      is_active: ["The monitor of the sample shop can't be resumed. Add a monitor for your own website instead."],
    })
  }
  throw error
}

/** After a change of the type, the results of earlier checks are meaningless. */
export async function clearCheckState(q: Queries, id: number): Promise<void> {
  await q.query(
    `update monitor_states
        set last_checked_at = null,
            last_response_ms = null,
            last_error = null,
            tls_expires_at = null,
            tls_warned_days = null
      where user_id = own_team() and monitor_id = $1`,
    [id],
  )
}

/**
 * Makes monitors due within `spreadSeconds` after `from`, or never if `from` is null. Incrementing `claim` discards the
 * results of checks that are running with the old settings, on any node.
 */
export async function rescheduleChecks(
  q: Queries,
  ids: readonly number[],
  { from, spreadSeconds }: { from: Date; spreadSeconds: number } | { from: null; spreadSeconds: 0 },
): Promise<void> {
  await q.query(
    `update monitor_states
        set due_at = $2::timestamptz + random() * $3::float8 * interval '1 second',
            claimed_by = null,
            claim = claim + 1,
            failures = 0,
            failing_since = null,
            waiting_since = case
              when due_at is null or $2::timestamptz is null then null
              when waiting_since is null then least(due_at, $2)
              else waiting_since
            end
      where user_id = own_team() and monitor_id in (select unnest($1::bigint[]) order by 1)`,
    [ids, from, spreadSeconds],
  )
}

/** Returns the ids that exist. All transactions lock monitors in the same order, which prevents deadlocks. */
export async function lockMonitors(q: Queries, ids: readonly number[]): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select id
       from monitors
      where user_id = own_team() and id = any ($1)
      order by id
        for no key update`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Pauses or resumes monitors. Returns the ids whose status changed. */
export async function setMonitorsActive(
  q: Queries,
  ids: readonly number[],
  isActive: boolean,
  now: Date,
): Promise<number[]> {
  const update = q.query<{ id: number }>(
    `update monitors
        set status = $2, status_changed_at = $3, updated_at = $3
      where user_id = own_team() and id = any ($1) and (status = 'paused') = $4
     returning id`,
    [ids, isActive ? 'pending' : 'paused', now, isActive],
  )
  const rows = await update.catch(translateSampleError)
  return rows.map(({ id }) => id)
}

/** Returns the ids that existed. */
export async function deleteMonitors(q: Queries, ids: readonly number[]): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `with locked as materialized (
       select id
         from monitors
        where user_id = own_team() and id = any ($1)
        order by id
          for update
     )
     delete from monitors
      where user_id = own_team() and id in (select id from locked)
     returning id`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/** Returns the monitors that exist. All transactions lock monitors in the same order, which prevents deadlocks. */
export function lockTags(q: Queries, ids: readonly number[]): Promise<{ id: number; tags: string[] }[]> {
  return q.query<{ id: number; tags: string[] }>(
    `select id, tags
       from monitors
      where user_id = own_team() and id = any ($1)
      order by id
        for no key update`,
    [ids],
  )
}

interface TaggedMonitor {
  id: number
  tags: readonly string[]
  /** The tags, folded to one case. */
  tagKeys: readonly string[]
}

/** Sends the tags as JSON, because PostgreSQL's arrays of arrays need rows of equal length. */
export async function updateTags(q: Queries, monitors: readonly TaggedMonitor[], now: Date): Promise<void> {
  if (monitors.length === 0) return
  await q.query(
    `update monitors m
        set tags = array(select jsonb_array_elements_text(changed.tags)),
            tag_keys = array(select jsonb_array_elements_text(changed."tagKeys")),
            updated_at = $2
       from jsonb_to_recordset($1) as changed (id bigint, tags jsonb, "tagKeys" jsonb)
      where m.user_id = own_team() and m.id = changed.id`,
    [JSON.stringify(monitors), now],
  )
}

/** Returns the monitor and all monitors that it depends on, directly or indirectly. Empty if it doesn't exist. */
export async function listDependencyIds(q: Queries, monitorId: number): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `with recursive chain as (
       select id, depends_on
         from monitors
        where user_id = own_team() and id = $1
       union
       select m.id, m.depends_on
         from chain
         join monitors m on m.user_id = own_team() and m.id = chain.depends_on
     )
     select id from chain`,
    [monitorId],
  )
  return rows.map(({ id }) => id)
}
