/** SQL for `doctor`, which only reads. */
import type { ClientBase } from 'pg'
import { buildOverdueAlertsStatement, type OverdueAlerts } from '../../alerts/overdue-store.ts'
import { readAcrossUsers } from '../../storage/access.ts'
import { FIRST_BLOCK_SCHEMA_VERSION } from '../../traffic/packing/pack-days.ts'

export interface PostgresFacts {
  version: string
  hasChecksums: boolean
  isSuperuser: boolean
  /** The number of Belfry's connections to this database, without the connection of `doctor` itself. */
  otherConnectionCount: number
}

export async function readPostgresFacts(client: ClientBase): Promise<PostgresFacts> {
  const { rows } = await client.query<PostgresFacts>(`
    select current_setting('server_version') as version, current_setting('data_checksums') = 'on' as "hasChecksums",
           (select rolsuper from pg_roles where rolname = current_user) as "isSuperuser",
           (select count(*)::int from pg_stat_activity
             where datname = current_database() and application_name = current_setting('application_name')
               and pid <> pg_backend_pid()
           ) as "otherConnectionCount"`)
  return rows[0] as PostgresFacts
}

export async function isReadOnly(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `select pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only`,
  )
  return rows[0].is_read_only
}

/** Returns how many milliseconds the database's clock is ahead of ours, corrected for half the round trip. */
export async function readClockOffset(client: ClientBase): Promise<number> {
  const sentAt = Date.now()
  const { rows } = await client.query(`select extract(epoch from clock_timestamp()) * 1000 as now`)
  return Number(rows[0].now) - (sentAt + Date.now()) / 2
}

export interface InstanceFacts {
  secretFingerprint: string | null
  hasBeenSetUp: boolean
  administratorCount: number
}

/** Returns undefined if the database is still empty. */
export async function readInstanceFacts(client: ClientBase): Promise<InstanceFacts | undefined> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.instance') is not null as exists`)
  if (!existsRows[0].exists) return undefined
  return readAcrossUsers(client, async () => {
    const { rows } = await client.query<InstanceFacts>(`
      select secret_fingerprint as "secretFingerprint", claimed_at is not null as "hasBeenSetUp",
             (select count(*)::int from belfry.users where is_admin) as "administratorCount"
        from belfry.instance`)
    return rows[0]
  })
}

/** Counts the websites with weekly reports. Returns 0 if the table doesn't exist yet. */
export async function countEnabledReports(client: ClientBase): Promise<number> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.websites') is not null as exists`)
  if (!existsRows[0].exists) return 0
  return readAcrossUsers(client, async () => {
    const { rows } = await client.query('select count(*)::int as enabled from belfry.websites where email = 1')
    return rows[0].enabled
  })
}

/** Returns undefined if the table doesn't exist yet. */
export async function readOverdueAlerts(client: ClientBase, dueBefore: Date): Promise<OverdueAlerts | undefined> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.alerts') is not null as exists`)
  if (!existsRows[0].exists) return undefined
  const { text, values = [] } = buildOverdueAlertsStatement(dueBefore)
  return readAcrossUsers(client, async () => (await client.query<OverdueAlerts>(text, [...values])).rows[0])
}

export interface OverdueChecks {
  activeCount: number
  overdueCount: number
  /** When the first of the overdue checks was due. */
  firstDueAt: Date | null
}

/** Counts the checks that were due at `dueBefore` or earlier. Returns undefined if no checker is running, or if the table doesn't exist yet. */
export async function readOverdueChecks(client: ClientBase, dueBefore: Date): Promise<OverdueChecks | undefined> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.monitor_states') is not null as exists`)
  if (!existsRows[0].exists) return undefined
  return readAcrossUsers(client, async () => {
    const { rows } = await client.query<OverdueChecks>(
      `select count(*)::float8 as "activeCount",
              count(*) filter (where due_at <= $1)::float8 as "overdueCount",
              min(due_at) filter (where due_at <= $1) as "firstDueAt"
         from belfry.monitor_states
        where due_at is not null
       having exists (select from belfry.nodes where 'checker' = any (roles) and seen_at > now() - interval '1 minute')`,
      [dueBefore],
    )
    return rows[0]
  })
}

export interface TrafficFacts {
  /** Events in batches that could not be rolled up. */
  failedEventCount: number
}

/** Returns undefined if the table doesn't exist yet. */
export async function readTrafficFacts(client: ClientBase): Promise<TrafficFacts | undefined> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.event_inbox') is not null as exists`)
  if (!existsRows[0].exists) return undefined
  const { rows } = await client.query<TrafficFacts>(`
    select coalesce(sum(size), 0)::float8 as "failedEventCount" from belfry.event_inbox where fault is not null`)
  return rows[0]
}

export interface PackingProgress {
  /** Days of all websites that should be packed. */
  dayCount: number
  unpackedCount: number
  /** What rows take on the disk. This includes the days that should not be packed yet. */
  rowBytes: number
  /** Unpacked days before `overdueBefore`. 0 if the server had no time to pack them. */
  overdueCount: number
  firstOverdue: { day: string; domain: string } | null
}

/**
 * `before` and `overdueBefore` are days. The server has had time to pack if a worker is running, and if the migration that introduced
 * blocks was applied before `overdueBefore`: packing all earlier days can take a while. Returns undefined if the tables don't
 * exist yet.
 */
export async function readPackingProgress(
  client: ClientBase,
  before: string,
  overdueBefore: string,
): Promise<PackingProgress | undefined> {
  if (!(await hasBlockTable(client))) return undefined
  return readAcrossUsers(client, async () => {
    const { rows } = await client.query<PackingProgress>(
      `with days as (
         select day, domain, block_set is not null and is_packed as is_complete
           from belfry.traffic_days
           join belfry.websites on id = website_id
          where day < $1
       ), overdue as (
         select day, domain
           from days
          where not is_complete and day < $2
            and exists (select from belfry.nodes where 'worker' = any (roles) and seen_at > now() - interval '1 minute')
            and exists (select from belfry.migrations where version = $3 and applied_at < $2::date)
       )
       select (select count(*)::float8 from days) as "dayCount",
              (select count(*)::float8 from days where not is_complete) as "unpackedCount",
              (select count(*)::float8 from overdue) as "overdueCount",
              (select json_build_object('day', day, 'domain', domain) from overdue order by day, domain limit 1) as "firstOverdue",
              (select sum(pg_total_relation_size(relid))::float8
                 from (select relid from pg_partition_tree('belfry.events')
                       union all select relid from pg_partition_tree('belfry.visits')) as partitions) as "rowBytes"`,
      [before, overdueBefore, FIRST_BLOCK_SCHEMA_VERSION],
    )
    return rows[0]
  })
}

async function hasBlockTable(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('belfry.traffic_blocks') is not null as exists`)
  return rows[0].exists
}

export interface StoredBlock {
  websiteId: number
  day: string
  part: number
  domain: string
  isSample: boolean
}

/** Newest days first. Returns an empty list if the table doesn't exist yet. */
export async function listNewestBlocks(client: ClientBase, limit: number): Promise<StoredBlock[]> {
  if (!(await hasBlockTable(client))) return []
  return readAcrossUsers(client, async () => {
    const { rows } = await client.query<StoredBlock>(
      `select b.website_id::float8 as "websiteId", b.day::text as day, b.part, w.domain, w.is_sample as "isSample"
         from belfry.traffic_blocks b
         join belfry.websites w on w.id = b.website_id
        order by b.day desc, b.website_id, b.part
        limit $1`,
      [limit],
    )
    return rows
  })
}
