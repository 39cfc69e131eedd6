/** Reads all tables as they were at one moment. */
import pg, { type ClientBase } from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { StartupError } from '../../lib/startup-error.ts'
import { MIGRATION_LOCK } from '../apply-schema-change.ts'
import { readMigrationState } from '../migrations.ts'
import { type CopyPurpose, readPartitions, readTables, requireAllRowsVisible } from './catalogue.ts'
import { explainBackupError } from './failures.ts'
import type { DatabaseShape, TableShape } from './format.ts'

export interface Snapshot extends DatabaseShape {
  /** Identifies the secret that encrypts values in the rows. null if no server has used the database yet. */
  secretFingerprint: string | null
  /** Streams the rows in PostgreSQL's COPY format, at the reader's pace. Works only while `work` of withSnapshot is running. */
  copyOut(table: TableShape): AsyncIterable<Buffer>
}

/**
 * Makes COPY's output independent of the server's settings, turns off timeouts that would end a long copy, and gives
 * access to the rows of all users.
 */
export const copySettings = `
  set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local extra_float_digits = 1;
  set local bytea_output = 'hex'; set local belfry.across_users = 'on'`

/**
 * Requires a dedicated connection without pg's `query_timeout`, which would end the copy. `lockSql` runs before the snapshot is
 * taken, so that the snapshot contains everything that other sessions wrote before the lock.
 */
export async function withSnapshot<T>(
  client: ClientBase,
  { purpose, lockSql }: { purpose: CopyPurpose; lockSql?: string | undefined },
  work: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  // Take the lock before the snapshot: a snapshot taken first would not see a migration that we waited for.
  await client.query(`set lock_timeout = '10s'`)
  const runOrExplain = (sql: string, values?: unknown[]) =>
    client.query(sql, values).catch((error) => {
      throw explainBackupError(error)
    })
  await runOrExplain('select pg_advisory_lock_shared($1)', [MIGRATION_LOCK])
  await client.query('begin isolation level repeatable read read only')
  if (lockSql !== undefined) await runOrExplain(lockSql)
  await client.query(copySettings)
  const { version } = await readMigrationState(client)
  if (version === 0)
    throw new StartupError(`The database is empty. There is nothing to ${verbs[purpose]}.`, 'Start the server first.')
  await requireAllRowsVisible(client, purpose)
  // The transaction only reads, and it ends when the caller closes the connection. So it needs no commit.
  return work({
    schema: version,
    secretFingerprint: (await client.query('select secret_fingerprint from instance')).rows[0].secret_fingerprint,
    tables: await readTables(client, purpose),
    partitions: await readPartitions(client, purpose),
    copyOut: (table) => client.query(copyTo(copyOutSql(table))),
  })
}

const verbs: Record<CopyPurpose, string> = { backup: 'back up', move: 'move' }

/** COPY needs a query here: copying a partitioned table by name yields no rows. */
function copyOutSql({ name, columns }: TableShape): string {
  return `copy (select ${columns.map(pg.escapeIdentifier).join(', ')} from belfry.${pg.escapeIdentifier(name)}) to stdout`
}
