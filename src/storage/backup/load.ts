/** Replaces the database by a backup, in one transaction: all of it, or nothing. */
import { pipeline } from 'node:stream/promises'
import pg, { type ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { StartupError } from '../../lib/startup-error.ts'
import type { Rights } from '../access.ts'
import { isConnectionLoss } from '../connection-loss.ts'
import { applyMigrations, applyTables } from '../migrations.ts'
import { readSequences, readTables } from './catalogue.ts'
import { type Contents, readContents } from './contents.ts'
import { copySettings, type OnProgress } from './dump.ts'
import { explainFailure } from './failures.ts'
import { damaged, type Header, type Rest, type Sequence, type TableShape } from './format.ts'
import { beginAlone } from './lock-all.ts'
import { makePartitions } from './partitions.ts'
import { withoutRules } from './rules.ts'

export interface Load {
  /** As it was found whole, before this. */
  contents: Contents
  rights: Rights
  /** The same text once more. */
  open(): AsyncIterable<Buffer>
  onProgress: OnProgress
  onWait(): void
}

/**
 * Leaves the transaction open, for `commitLoad`. Needs a connection of its own without pg's `query_timeout`, which would
 * cut the copy off.
 */
export async function loadContents(client: ClientBase, options: Load): Promise<void> {
  const { header, sha256 } = options.contents
  try {
    await beginAlone(client, options.onWait)
    await client.query(copySettings)
    const replaced = await readSequences(client)
    await client.query('drop schema if exists belfry cascade')
    await applyTables(client, header.schema)
    await makePartitions(client, header.partitions)
    await requireSameTables(client, header)
    await withoutRules(client, header.tables, async () => {
      const take = (table: TableShape, rows: AsyncIterable<Buffer>) => copyIn(client, table, rows)
      const { rest, sha256: loaded } = await readContents(options.open(), take, options.onProgress)
      if (loaded !== sha256) throw damaged('it changed while it was read')
      await setSequences(client, rest)
      await raiseSequences(client, replaced)
    })
    await applyMigrations(client, options.rights)
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw explainFailure(error)
  }
}

async function setSequences(client: ClientBase, { sequences }: Rest): Promise<void> {
  for (const { name, value, called } of sequences) {
    await client.query(`select setval(format('belfry.%I', $1::text)::regclass, $2, $3)`, [name, value, called])
  }
}

/**
 * An id that was given out is not given out again, though what had it is gone: a server beside us still remembers, for a
 * minute, which id a key or a session had.
 */
async function raiseSequences(client: ClientBase, replaced: readonly Sequence[]): Promise<void> {
  const restored = new Map((await readSequences(client)).map((sequence) => [sequence.name, sequence]))
  const behind = replaced.filter(({ name, value, called }) => {
    const now = restored.get(name)
    return now !== undefined && called && BigInt(value) >= BigInt(now.value)
  })
  await setSequences(client, { sequences: behind })
}

/** The answer to the commit was lost. */
export class Unsettled extends StartupError {}

export async function commitLoad(client: ClientBase): Promise<void> {
  try {
    await client.query('commit')
  } catch (error) {
    if (!isConnectionLoss(error)) throw error
    throw new Unsettled(
      'The database went away in the last moment: everything was restored, or nothing.',
      'Restore once more.',
      { cause: error },
    )
  }
}

/** Without figures about the new rows the first questions would be planned badly; autovacuum comes a minute later. */
export async function analyzeTables(client: ClientBase, tables: readonly TableShape[]): Promise<void> {
  for (const { name } of tables) await client.query(`analyze belfry.${pg.escapeIdentifier(name)}`).catch(() => {})
}

/** Names in the file go into SQL; after this they are names that the schema itself has. */
async function requireSameTables(client: ClientBase, header: Header): Promise<void> {
  const known = new Map((await readTables(client)).map(({ name, columns }) => [name, new Set(columns)]))
  const strange = header.tables.find(({ name, columns }) => !columns.every((column) => known.get(name)?.has(column)))
  const missing = [...known.keys()].find((name) => !header.tables.some((table) => table.name === name))
  if (strange === undefined && missing === undefined) return
  throw new StartupError(
    `The backup's table ${strange?.name ?? missing} is not as schema ${header.schema} of this Belfry has it.`,
    `Restore it with the version that made it, ${header.belfry}. Nothing was changed.`,
  )
}

async function copyIn(client: ClientBase, { name, columns }: TableShape, rows: AsyncIterable<Buffer>): Promise<void> {
  const list = columns.map(pg.escapeIdentifier).join(', ')
  try {
    await pipeline(rows, client.query(copyFrom(`copy belfry.${pg.escapeIdentifier(name)} (${list}) from stdin`)))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    throw new StartupError(
      `PostgreSQL refuses the rows of ${name}: ${error.message}.`,
      'Restore it with the version that made it. Nothing was changed.',
      { cause: error },
    )
  }
}
