/** Writes the whole database as one consistent text, while other connections keep writing. */
import { createHash } from 'node:crypto'
import pg, { type ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { StartupError } from '../../lib/startup-error.ts'
import { MIGRATION_LOCK } from '../apply-schema-change.ts'
import { readMigrationState } from '../migrations.ts'
import { readPartitions, readSequences, readTables, requireAllRowsVisible } from './catalogue.ts'
import { explainBackupError } from './failures.ts'
import {
  type BackupExtras,
  type BackupHeader,
  BLOCK_END,
  FORMAT_VERSION,
  formatBlockStart,
  type TableShape,
} from './format.ts'

export interface Dump {
  header: BackupHeader
  /** Streams the backup's text at the reader's pace. Works only while `work` of withDump is running. */
  text(options: { secret: string | undefined; onProgress: OnProgress }): AsyncGenerator<Buffer>
}

/** Called with the number of rows and bytes since the last call. */
export type OnProgress = (rows: number, bytes: number) => void

/**
 * Makes COPY's output independent of the server's settings, turns off timeouts that would end a long copy, and gives
 * access to the rows of all users.
 */
export const copySettings = `
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local extra_float_digits = 1;
  set local bytea_output = 'hex'; set local belfry.across_users = 'on'`

/** Requires a dedicated connection without pg's `query_timeout`, which would end the copy. */
export async function withDump<T>(
  client: ClientBase,
  { belfryVersion, now }: { belfryVersion: string; now: Date },
  work: (dump: Dump) => Promise<T>,
): Promise<T> {
  // Take the lock before the snapshot: a snapshot taken first would not see a migration that we waited for.
  await client.query(`set lock_timeout = '10s'`)
  await client.query('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK]).catch((error) => {
    throw explainBackupError(error)
  })
  await client.query('begin isolation level repeatable read read only')
  await client.query(copySettings)
  const { version } = await readMigrationState(client)
  if (version === 0)
    throw new StartupError('The database is empty. There is nothing to back up.', 'Start the server first.')
  await requireAllRowsVisible(client)
  const header: BackupHeader = {
    belfry_backup: FORMAT_VERSION,
    belfry: belfryVersion,
    schema: version,
    created_at: now.toISOString(),
    secret_fingerprint: (await client.query('select secret_fingerprint from instance')).rows[0].secret_fingerprint,
    tables: await readTables(client),
    partitions: await readPartitions(client),
  }
  // The transaction only reads, and the caller closes the connection, so it needs no commit.
  return work({ header, text: (options) => dumpText(client, header, options) })
}

async function* dumpText(
  client: ClientBase,
  header: BackupHeader,
  { secret, onProgress }: Parameters<Dump['text']>[0],
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const rowCounts: Record<string, number> = {}
  const encodeAndHashLine = (text: string) => {
    const bytes = Buffer.from(`${text}\n`)
    hash.update(bytes)
    return bytes
  }
  yield encodeAndHashLine(JSON.stringify(header))
  for (const table of header.tables) {
    rowCounts[table.name] = 0
    yield encodeAndHashLine(formatBlockStart(table))
    for await (const chunk of client.query(copyTo(copyOutSql(table))) as AsyncIterable<Buffer>) {
      const count = countLines(chunk)
      rowCounts[table.name] = (rowCounts[table.name] ?? 0) + count
      onProgress(count, chunk.length)
      hash.update(chunk)
      yield chunk
    }
    yield encodeAndHashLine(BLOCK_END)
  }
  const extras: BackupExtras = { sequences: await readSequences(client), ...(secret === undefined ? {} : { secret }) }
  yield encodeAndHashLine(JSON.stringify(extras))
  yield Buffer.from(`${JSON.stringify({ rows: rowCounts, sha256: hash.digest('hex') })}\n`)
}

/** COPY needs a query here: copying a partitioned table by name yields no rows. */
function copyOutSql({ name, columns }: TableShape): string {
  return `copy (select ${columns.map(pg.escapeIdentifier).join(', ')} from belfry.${pg.escapeIdentifier(name)}) to stdout`
}

/** One row is one line: COPY escapes newlines inside values. */
export function countLines(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count++
  return count
}
