/** SQL for assignments: which channels send alerts about which monitors. */
import pg from 'pg'
import type { ChannelType } from '../channels/kinds.ts'
import { invalid, notFound } from '../lib/problem.ts'
import { queryWithFreshPlan } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'

export interface AssignmentRow {
  monitor_id: number
  provider_id: number
  provider_type: ChannelType
  enabled: boolean
  delay_minutes: number
  created_at: Date
}

/** Returns the assignments as JSON, or undefined if the caller has no such monitor. */
export async function listAssignments(q: Queries, monitorId: number) {
  const [monitor, rows] = await q.batch(
    { text: 'select from monitors where user_id = own_team() and id = $1', values: [monitorId] },
    {
      text: `select a.monitor_id, a.provider_id, p.provider_type, a.enabled, a.delay_minutes, a.created_at
               from assignments a
               join providers p on p.user_id = a.user_id and p.id = a.provider_id
              where a.user_id = own_team() and a.monitor_id = $1
              order by a.provider_id`,
      values: [monitorId],
      asJson: true,
    },
  )
  return monitor?.count === 1 && rows !== undefined ? { json: rows.json, count: rows.count } : undefined
}

interface AssignmentSettings {
  teamId: number
  channelId: number
  enabled: boolean
  /** If undefined, an existing assignment keeps its delay, and a new one has none. */
  delayMinutes: number | undefined
  now: Date
}

/** Call this in a transaction that runs as the team `teamId`. */
export async function putAssignment(
  q: Queries,
  assignment: AssignmentSettings & { monitorId: number },
): Promise<{ isNew: boolean; row: AssignmentRow }> {
  const { teamId, monitorId, channelId, enabled, delayMinutes, now } = assignment
  const [upserted] = await q
    .query<{ is_new: boolean }>(
      // In PostgreSQL, xmax is 0 for a row that was inserted, and not 0 for one that was updated.
      `insert into assignments as a (user_id, monitor_id, provider_id, enabled, created_at, delay_minutes)
       values ($1, $2, $3, $4, $5, coalesce($6::integer, 0))
       on conflict (user_id, monitor_id, provider_id)
         do update set enabled = excluded.enabled, delay_minutes = coalesce($6::integer, a.delay_minutes)
       returning xmax = 0 as is_new`,
      [teamId, monitorId, channelId, enabled, now, delayMinutes],
    )
    .catch(translateError)
  const [row] = await q.query<AssignmentRow>(
    `select a.monitor_id, a.provider_id, p.provider_type, a.enabled, a.delay_minutes, a.created_at
       from assignments a
       join providers p on p.user_id = a.user_id and p.id = a.provider_id
      where a.user_id = own_team() and a.monitor_id = $1 and a.provider_id = $2`,
    [monitorId, channelId],
  )
  return { isNew: upserted?.is_new === true, row: row as AssignmentRow }
}

function translateError(error: unknown): never {
  if (error instanceof pg.DatabaseError && error.constraint === 'assignments_monitor_fkey') throw notFound()
  if (error instanceof pg.DatabaseError && error.constraint === 'assignments_provider_fkey') {
    throw invalid({ provider_id: ['`provider_id` is not one of your providers.'] })
  }
  throw error
}

/** Returns whether the assignment existed. */
export async function deleteAssignment(q: Queries, monitorId: number, channelId: number): Promise<boolean> {
  const rows = await q.query(
    `delete from assignments
      where user_id = own_team() and monitor_id = $1 and provider_id = $2
     returning provider_id`,
    [monitorId, channelId],
  )
  return rows.length > 0
}

/**
 * Returns the ids of the channels to assign to every new monitor, and protects these channels from deletion until the
 * transaction ends.
 */
export async function lockDefaultChannels(q: Queries): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select id
       from providers
      where user_id = own_team() and assign_by_default
      order by id
        for key share`,
  )
  return rows.map(({ id }) => id)
}

/** Call this in a transaction that runs as the team `teamId`. */
export async function assignChannels(
  q: Queries,
  { teamId, monitorId, channelIds, now }: { teamId: number; monitorId: number; channelIds: number[]; now: Date },
): Promise<void> {
  if (channelIds.length === 0) return
  await q.query(
    `insert into assignments (user_id, monitor_id, provider_id, enabled, created_at)
     select $1, $2, unnest($3::bigint[]), true, $4`,
    [teamId, monitorId, channelIds, now],
  )
}

/** Returns the monitors as JSON, newest first, or undefined if the caller has no such channel. */
export async function listAssignedMonitors(
  q: Queries,
  channelId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ json: string; total: number } | undefined> {
  const [channel, count, rows] = await queryWithFreshPlan(
    q,
    { text: 'select from providers where user_id = own_team() and id = $1', values: [channelId] },
    {
      text: 'select count(*) as total from assignments where user_id = own_team() and provider_id = $1',
      values: [channelId],
    },
    {
      text: `with page as materialized (
               select monitor_id, enabled, delay_minutes, created_at
                 from assignments
                where user_id = own_team() and provider_id = $1
                order by monitor_id desc
                limit $2 offset $3
             )
             select p.monitor_id, m.friendly_name, m.url, m.status, p.enabled, p.delay_minutes, p.created_at
               from page p
               join monitors m on m.user_id = own_team() and m.id = p.monitor_id
              order by p.monitor_id desc`,
      values: [channelId, limit, offset],
      asJson: true,
    },
  )
  if (channel?.count !== 1) return undefined
  return { json: rows?.json ?? '', total: count?.rows[0]?.['total'] }
}

/** Returns whether the channel exists, and protects it from deletion until the transaction ends. */
export async function lockChannel(q: Queries, id: number): Promise<boolean> {
  const rows = await q.query('select id from providers where user_id = own_team() and id = $1 for key share', [id])
  return rows.length > 0
}

/**
 * Returns the ids that exist, and protects these monitors from deletion until the transaction ends. All transactions
 * lock monitors in the same order, which prevents deadlocks.
 */
export async function lockExistingMonitors(q: Queries, ids: readonly number[]): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select id
       from monitors
      where user_id = own_team() and id = any ($1)
      order by id
        for key share`,
    [ids],
  )
  return rows.map(({ id }) => id)
}

/**
 * Returns the ids of at most `limit` monitors that have one of the tags, or of all monitors if `tagKeys` is null. Locks them like
 * `lockExistingMonitors`.
 */
export async function lockMatchingMonitors(
  q: Queries,
  tagKeys: readonly string[] | null,
  limit: number,
): Promise<number[]> {
  const rows = await q.query<{ id: number }>(
    `select id
       from monitors
      where user_id = own_team() and ($1::text[] is null or tag_keys && $1)
      order by id
      limit $2
        for key share`,
    [tagKeys, limit],
  )
  return rows.map(({ id }) => id)
}

/**
 * Call this in a transaction that runs as the team `teamId`, after locking the channel and the monitors. Returns the
 * number of new assignments.
 */
export async function upsertAssignments(
  q: Queries,
  assignment: AssignmentSettings & { monitorIds: readonly number[] },
): Promise<number> {
  const { teamId, channelId, monitorIds, enabled, delayMinutes, now } = assignment
  const rows = await q.query<{ is_new: boolean }>(
    // In PostgreSQL, xmax is 0 for a row that was inserted, and not 0 for one that was updated.
    `insert into assignments as a (user_id, monitor_id, provider_id, enabled, created_at, delay_minutes)
     select $1, monitor_id, $2, $4, $5, coalesce($6::integer, 0)
       from unnest($3::bigint[]) as monitor_id
      order by monitor_id
     on conflict (user_id, monitor_id, provider_id)
       do update set enabled = excluded.enabled, delay_minutes = coalesce($6::integer, a.delay_minutes)
     returning xmax = 0 as is_new`,
    [teamId, channelId, monitorIds, enabled, now, delayMinutes],
  )
  return rows.filter(({ is_new: isNew }) => isNew).length
}

/** Returns how many assignments existed, or undefined if the caller has no such channel. */
export async function deleteAssignments(
  q: Queries,
  channelId: number,
  monitorIds: readonly number[],
): Promise<number | undefined> {
  const [channel, deleted] = await q.batch(
    { text: 'select from providers where user_id = own_team() and id = $1', values: [channelId] },
    {
      text: `with locked as materialized (
               select monitor_id
                 from assignments
                where user_id = own_team() and provider_id = $1 and monitor_id = any ($2)
                order by monitor_id
                  for update
             )
             delete from assignments
              where user_id = own_team() and provider_id = $1 and monitor_id in (select monitor_id from locked)`,
      values: [channelId, monitorIds],
    },
  )
  return channel?.count === 1 ? deleted?.count : undefined
}
