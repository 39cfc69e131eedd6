/** SQL for `move`. */
import type { ClientBase } from 'pg'
import { buildNodeHasExpiredSql } from '../../nodes/store.ts'

export interface DatabaseUse {
  /**
   * The roles of each server process that has sent a heartbeat in the last few seconds, such as `web, checker, worker`.
   */
  servers: string[]
  /** The client addresses of other connections of Belfry, such as `10.0.0.5`. */
  addresses: string[]
}

export async function readDatabaseUse(client: ClientBase): Promise<DatabaseUse> {
  const { rows: addressRows } = await client.query<{ address: string }>(`
    select distinct coalesce(host(client_addr), 'a local socket') as address from pg_stat_activity
     where datname = current_database() and application_name = current_setting('application_name') and pid <> pg_backend_pid()
     order by 1`)
  return {
    servers: await readLiveServers(client),
    addresses: addressRows.map(({ address }) => address),
  }
}

async function readLiveServers(client: ClientBase): Promise<string[]> {
  // An empty database doesn't have the table yet.
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.nodes') is not null as exists`)
  if (!existsRows[0].exists) return []
  const { rows } = await client.query<{ roles: string[] }>(`
    select distinct live.process_id, live.roles
      from nodes live where not (${buildNodeHasExpiredSql('live.id')})`)
  return rows.map(({ roles }) => roles.join(', '))
}
