/** Replaces the database with a backup, in one transaction: completely or not at all. */
import { pipeline } from 'node:stream/promises'
import pg, { type ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { StartupError } from '../../lib/startup-error.ts'
import type { DatabaseRoles } from '../access.ts'
import { isConnectionLoss } from '../connection-loss.ts'
import { applyMigrations, applyTableMigrations } from '../migrations.ts'
import { readSequences, readTables } from './catalogue.ts'
import { fillWithoutConstraints } from './constraints.ts'
import { type BackupContents, readContents } from './contents.ts'
import { copySettings, type OnProgress } from './dump.ts'
import { beginWithAllTablesLocked } from './exclusive-lock.ts'
import { explainBackupError } from './failures.ts'
import { type BackupExtras, type BackupHeader, damagedBackupError, type Sequence, type TableShape } from './format.ts'
import { createPartitions } from './partitions.ts'

export interface LoadOptions {
  /** The result of the verification that precedes a load. */
  contents: BackupContents
  roles: DatabaseRoles
  /** Opens the backup again from the start, because the verification has already read it once. */
  open(): AsyncIterable<Buffer>
  onProgress: OnProgress
  onWait(): void
}

/**
 * Loads the backup in a transaction that it leaves open for `commitLoad`. Requires a dedicated connection without pg's
 * `query_timeout`, which would end the copy.
 */
export async function loadContents(client: ClientBase, options: LoadOptions): Promise<void> {
  const { header, sha256 } = options.contents
  try {
    await beginWithAllTablesLocked(client, options.onWait)
    await client.query(copySettings)
    const previousSequences = await readSequences(client)
    await client.query('drop schema if exists belfry cascade')
    await applyTableMigrations(client, header.schema)
    await createPartitions(client, header.partitions)
    await requireSameTables(client, header)
    await fillWithoutConstraints(client, header.tables, async () => {
      const consume = (table: TableShape, rows: AsyncIterable<Buffer>) => copyIn(client, table, rows)
      const { extras, sha256: loadedSha256 } = await readContents(options.open(), consume, options.onProgress)
      if (loadedSha256 !== sha256) throw damagedBackupError('it changed while Belfry was reading it')
      await setSequences(client, extras)
      await raiseSequences(client, previousSequences)
    })
    await applyMigrations(client, options.roles)
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw explainBackupError(error)
  }
}

async function setSequences(client: ClientBase, { sequences }: BackupExtras): Promise<void> {
  for (const { name, value, called } of sequences) {
    await client.query(`select setval(format('belfry.%I', $1::text)::regclass, $2, $3)`, [name, value, called])
  }
}

/**
 * Ensures that no id which the replaced database handed out is used again: a running server caches the ids of keys and
 * sessions for a minute.
 */
async function raiseSequences(client: ClientBase, previousSequences: readonly Sequence[]): Promise<void> {
  const restoredSequences = new Map((await readSequences(client)).map((sequence) => [sequence.name, sequence]))
  const sequencesBehind = previousSequences.filter(({ name, value, called }) => {
    const restoredSequence = restoredSequences.get(name)
    return restoredSequence !== undefined && called && BigInt(value) >= BigInt(restoredSequence.value)
  })
  await setSequences(client, { sequences: sequencesBehind })
}

/** The connection was lost during the commit, so its result is unknown. */
export class UnknownCommitError extends StartupError {}

export async function commitLoad(client: ClientBase): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
    throw new UnknownCommitError(
      'The connection was lost during the final commit. Either everything was restored, or nothing.',
      'Run the restore again.',
      { cause: error },
    )
  }
}

/** Without statistics PostgreSQL plans the first queries badly, and autovacuum takes about a minute to gather them. */
export async function analyzeTables(client: ClientBase, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) await client.query(`analyze belfry.${pg.escapeIdentifier(name)}`).catch(() => {})
}

/** Table and column names from the file go into SQL, so only names that exist in the schema are accepted. */
async function requireSameTables(client: ClientBase, header: BackupHeader): Promise<void> {
  const columnsByTable = new Map((await readTables(client)).map(({ name, columns }) => [name, new Set(columns)]))
  const unexpectedTable = header.tables.find(
    ({ name, columns }) => !columns.every((column) => columnsByTable.get(name)?.has(column)),
  )
  const missingTableName = [...columnsByTable.keys()].find(
    (name) => !header.tables.some((table) => table.name === name),
  )
  if (unexpectedTable === undefined && missingTableName === undefined) return
  throw new StartupError(
    `The backup's table ${unexpectedTable?.name ?? missingTableName} doesn't match schema version ${header.schema} of this version of Belfry.`,
    `Restore it with version ${header.belfry}, which created it. Nothing was changed.`,
  )
}

async function copyIn(client: ClientBase, { name, columns }: TableShape, rows: AsyncIterable<Buffer>): Promise<void> {
  const columnList = columns.map(pg.escapeIdentifier).join(', ')
  try {
    await pipeline(rows, client.query(copyFrom(`copy belfry.${pg.escapeIdentifier(name)} (${columnList}) from stdin`)))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new StartupError(
      `PostgreSQL rejected the rows of ${name}: ${error.message}.`,
      'Restore it with the version of Belfry that created it. Nothing was changed.',
      { cause: error },
    )
  }
}
