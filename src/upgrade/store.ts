/** SQL for upgrades. It works with the schema of every release. */
import type { ClientBase } from 'pg'
import { readAcrossUsers } from '../storage/access.ts'

export interface NodeRow {
  id: string
  seenAt: string
  processId: string
  /** The newest schema version that the node's code knows. */
  schemaVersion: number
}

/**
 * Returns the nodes with a heartbeat in the last 6 s. The list is empty for an empty database, or one from before the
 * first release.
 */
export async function readNodes(client: ClientBase): Promise<NodeRow[]> {
  const { rows: columnRows } = await client.query(
    `select from pg_attribute where attrelid = to_regclass('belfry.nodes') and attname = 'schema_version'`,
  )
  if (columnRows.length === 0) return []
  const { rows } = await client.query<NodeRow>(`
    select id::text, seen_at::text as "seenAt", process_id::text as "processId", schema_version as "schemaVersion"
      from belfry.nodes
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

/** Counts the rows of each of these tables that exists. */
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
