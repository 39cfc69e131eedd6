/** Replaces all tables with those of another database, inside the caller's transaction. */
import { pipeline } from 'node:stream/promises'
import pg, { type ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { StartupError } from '../../lib/startup-error.ts'
import type { DatabaseRoles } from '../access.ts'
import { applyMigrations, applyTableMigrations } from '../migrations.ts'
import { type CopyPurpose, readTables } from './catalogue.ts'
import { fillWithoutConstraints } from './constraints.ts'
import type { DatabaseShape, Sequence, TableShape } from './format.ts'
import { createPartitions } from './partitions.ts'

export interface ReplacementOptions {
  /** The schema version, tables and partitions of the other database. */
  shape: DatabaseShape
  purpose: CopyPurpose
  roles: DatabaseRoles
  /**
   * Applies neither newer migrations nor the access policies, so that an earlier version of Belfry can continue. That version
   * applies its own policies when it starts. Until then, only the tables' owner can read them.
   */
  keepsSchema?: boolean | undefined
  /** Fills the tables, which are empty and have the schema version of the other database. */
  fill(): Promise<void>
  /** Returns the error for a table that doesn't match the schema version of the other database. */
  explainMismatch(tableName: string): StartupError
}

/** Creates the tables in the other database's schema version, fills them, and then applies newer migrations unless `keepsSchema`. */
export async function replaceTables(client: ClientBase, options: ReplacementOptions): Promise<void> {
  const { shape } = options
  await client.query('drop schema if exists belfry cascade')
  await applyTableMigrations(client, shape.schema)
  await createPartitions(client, shape.partitions)
  await requireSameTables(client, options)
  await fillWithoutConstraints(client, shape.tables, options.fill)
  if (!options.keepsSchema) await applyMigrations(client, options.roles)
}

/** Names of tables and columns go into SQL, so only names that exist in the schema are accepted. */
async function requireSameTables(
  client: ClientBase,
  { shape, purpose, explainMismatch }: ReplacementOptions,
): Promise<void> {
  const tables = await readTables(client, purpose)
  const columnsByTable = new Map(tables.map(({ name, columns }) => [name, new Set(columns)]))
  const unexpectedTable = shape.tables.find(
    ({ name, columns }) => !columns.every((column) => columnsByTable.get(name)?.has(column)),
  )
  const missingTable = tables.find(({ name }) => !shape.tables.some((table) => table.name === name))
  const mismatch = unexpectedTable ?? missingTable
  if (mismatch !== undefined) throw explainMismatch(mismatch.name)
}

/** Fills a table with rows in PostgreSQL's COPY format. */
export function copyIn(client: ClientBase, { name, columns }: TableShape, rows: AsyncIterable<Buffer>): Promise<void> {
  const columnList = columns.map(pg.escapeIdentifier).join(', ')
  return pipeline(rows, client.query(copyFrom(`copy belfry.${pg.escapeIdentifier(name)} (${columnList}) from stdin`)))
}

export async function setSequences(client: ClientBase, sequences: readonly Sequence[]): Promise<void> {
  await client.query(
    `select setval(format('belfry.%I', name)::regclass, value, called)
       from unnest($1::text[], $2::bigint[], $3::boolean[]) as sequence (name, value, called)`,
    [sequences.map(({ name }) => name), sequences.map(({ value }) => value), sequences.map(({ called }) => called)],
  )
}

/** Without statistics PostgreSQL plans the first queries badly, and autovacuum takes about a minute to gather them. */
export async function analyzeTables(client: ClientBase, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) await client.query(`analyze belfry.${pg.escapeIdentifier(name)}`).catch(() => {})
}
