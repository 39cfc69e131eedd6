/** SQL for upgrades. It works with every released schema version. */
import type { ClientBase } from 'pg'
import { readAcrossUsers } from '../storage/access.ts'

export interface NodeRow {
  id: string
  seenAt: string
  processId: string | null
  /** null if the node's version doesn't store it. */
  schemaVersion: number | null
}

/** Returns the nodes with a heartbeat in the last 6 s. Before schema version 4, nodes store no heartbeats. */
export async function readNodes(client: ClientBase): Promise<NodeRow[]> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.nodes') is not null as exists`)
  if (!existsRows[0].exists) return []
  // Earlier schema versions lack some columns, which are null in this JSON.
  const { rows } = await client.query<NodeRow>(`
    select id::text, seen_at::text as "seenAt", to_jsonb(n) ->> 'process_id' as "processId",
           (to_jsonb(n) ->> 'schema_version')::int as "schemaVersion"
      from belfry.nodes n
     where seen_at >= now() - interval '6 seconds'`)
  return rows
}

/** Works with newer schema versions, too. Returns 0 if the database is empty. */
export async function readSchemaVersion(client: ClientBase): Promise<number> {
  const { rows: existsRows } = await client.query(`select to_regclass('belfry.migrations') is not null as exists`)
  if (!existsRows[0].exists) return 0
  return (await client.query('select coalesce(max(version), 0) as version from belfry.migrations')).rows[0].version
}

export async function readDatabaseBytes(client: ClientBase): Promise<number> {
  const { rows } = await client.query('select pg_database_size(current_database())::float8 as bytes')
  return rows[0].bytes
}

/** Counts the rows of those of these tables that exist. */
export async function countRows(client: ClientBase, tables: readonly string[]): Promise<Map<string, number>> {
  const { rows: tableRows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relnamespace = to_regnamespace('belfry') and relkind in ('r', 'p') and relname = any ($1)`,
    [tables],
  )
  return readAcrossUsers(client, async () => {
    const counts = new Map<string, number>()
    for (const { name } of tableRows) {
      const { rows } = await client.query(`select count(*)::int as count from belfry.${client.escapeIdentifier(name)}`)
      counts.set(name, rows[0].count)
    }
    return counts
  })
}
