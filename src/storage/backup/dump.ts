/** Reads the whole database as one consistent text, while others go on writing. */
import { createHash } from 'node:crypto'
import pg, { type ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { StartupError } from '../../lib/startup-error.ts'
import { MIGRATION_LOCK, readMigrationState } from '../migrations.ts'
import { readPartitions, readSequences, readTables, requireOpenTables } from './catalogue.ts'
import { explainFailure } from './failures.ts'
import { BLOCK_END, blockStart, FORMAT_VERSION, type Header, type Rest, type TableShape } from './format.ts'

export interface Dump {
  header: Header
  /** The text, piece by piece; what nobody reads is not fetched. Only while `work` runs. */
  text(options: { secret: string | undefined; onProgress: OnProgress }): AsyncGenerator<Buffer>
}

/** How many rows and bytes came since the last call. */
export type OnProgress = (rows: number, bytes: number) => void

/** Dates and numbers are written the same way whatever the server's settings; nothing cuts a long copy off. */
export const copySettings = `
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local extra_float_digits = 1;
  set local bytea_output = 'hex'; set local belfry.across_users = 'on'`

/** Needs a connection of its own without pg's `query_timeout`, which would cut the copy off. */
export async function withDump<T>(
  client: ClientBase,
  { belfry, now }: { belfry: string; now: Date },
  work: (dump: Dump) => Promise<T>,
): Promise<T> {
  // Before the snapshot: waiting for a migration inside it would show the tables as they were before.
  await client.query(`set lock_timeout = '10s'`)
  await client.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK]).catch((error) => {
    throw explainFailure(error)
  })
  await client.query('begin isolation level repeatable read read only')
  await client.query(copySettings)
  const { version } = await readMigrationState(client)
  if (version === 0)
    throw new StartupError('The database is empty: there is nothing to save.', 'Start the server first.')
  await requireOpenTables(client)
  const header: Header = {
    belfry_backup: FORMAT_VERSION,
    belfry,
    schema: version,
    created_at: now.toISOString(),
    secret_fingerprint: (await client.query('select secret_fingerprint from instance')).rows[0].secret_fingerprint,
    tables: await readTables(client),
    partitions: await readPartitions(client),
  }
  // Nothing was written, and the connection ends with the caller: no commit is needed.
  return work({ header, text: (options) => dumpText(client, header, options) })
}

async function* dumpText(
  client: ClientBase,
  header: Header,
  { secret, onProgress }: Parameters<Dump['text']>[0],
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const rows: Record<string, number> = {}
  const line = (text: string) => {
    const bytes = Buffer.from(`${text}\n`)
    hash.update(bytes)
    return bytes
  }
  yield line(JSON.stringify(header))
  for (const table of header.tables) {
    rows[table.name] = 0
    yield line(blockStart(table))
    for await (const chunk of client.query(copyTo(copyOut(table))) as AsyncIterable<Buffer>) {
      const count = countLines(chunk)
      rows[table.name] = (rows[table.name] ?? 0) + count
      onProgress(count, chunk.length)
      hash.update(chunk)
      yield chunk
    }
    yield line(BLOCK_END)
  }
  const rest: Rest = { sequences: await readSequences(client), ...(secret === undefined ? {} : { secret }) }
  yield line(JSON.stringify(rest))
  yield Buffer.from(`${JSON.stringify({ rows, sha256: hash.digest('hex') })}\n`)
}

/** A query rather than the table's name: a partitioned table has no rows of its own. */
function copyOut({ name, columns }: TableShape): string {
  return `copy (select ${columns.map(pg.escapeIdentifier).join(', ')} from belfry.${pg.escapeIdentifier(name)}) to stdout`
}

/** A row is one line: newlines inside values are written as \n. */
export function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++
  return count
}
