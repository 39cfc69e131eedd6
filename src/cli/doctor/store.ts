/** SQL of the examination. It only reads. */
import type { ClientBase } from 'pg'

export interface ServerFacts {
  version: string
  checksums: boolean
  superuser: boolean
  /** Belfry's other connections. */
  sessions: number
}

export async function readServerFacts(client: ClientBase): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(`
    select current_setting('server_version') as version, current_setting('data_checksums') = 'on' as checksums,
           (select rolsuper from pg_roles where rolname = current_user) as superuser,
           (select count(*)::int from pg_stat_activity
             where datname = current_database() and application_name = 'belfry' and pid <> pg_backend_pid()) as sessions`)
  return rows[0] as ServerFacts
}

/** Milliseconds by which the database's clock is ahead of ours; the way there and back is shared out evenly. */
export async function readClockAhead(client: ClientBase): Promise<number> {
  const before = Date.now()
  const { rows } = await client.query(`select extract(epoch from clock_timestamp()) * 1000 as now`)
  return Number(rows[0].now) - (before + Date.now()) / 2
}

export interface InstanceFacts {
  fingerprint: string | null
  claimed: boolean
  administrators: number
}

/** undefined: the database is still empty. */
export async function readInstanceFacts(client: ClientBase): Promise<InstanceFacts | undefined> {
  const { rows: found } = await client.query(`select to_regclass('belfry.instance') is not null as there`)
  if (!found[0].there) return undefined
  await client.query(`set belfry.across_users = 'on'`)
  const { rows } = await client.query<InstanceFacts>(`
    select secret_fingerprint as fingerprint, claimed_at is not null as claimed,
           (select count(*)::int from belfry.users where is_admin) as administrators
      from belfry.instance`)
  return rows[0]
}

/** Websites that want a weekly report; 0 where there are no websites yet at all. */
export async function countWantedReports(client: ClientBase): Promise<number> {
  const { rows: found } = await client.query(`select to_regclass('belfry.websites') is not null as there`)
  if (!found[0].there) return 0
  await client.query(`set belfry.across_users = 'on'`)
  const { rows } = await client.query('select count(*)::int as wanted from belfry.websites where email = 1')
  return rows[0].wanted
}

export interface TrafficFacts {
  /** Events of batches that could not be added up. */
  asideEvents: number
}

/** undefined: there is no traffic yet at all. */
export async function readTrafficFacts(client: ClientBase): Promise<TrafficFacts | undefined> {
  const { rows: found } = await client.query(`select to_regclass('belfry.event_inbox') is not null as there`)
  if (!found[0].there) return undefined
  await client.query(`set belfry.across_users = 'on'`)
  const { rows } = await client.query<TrafficFacts>(`
    select coalesce(sum(size), 0)::float8 as "asideEvents" from belfry.event_inbox where fault is not null`)
  return rows[0]
}
