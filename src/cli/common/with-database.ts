/** Connects a command to the database: to the PostgreSQL of a running server, or to one that the command starts. */
import type { Logger } from 'pino'
import { formatBytes } from '../../lib/format.ts'
import { createLog } from '../../lib/log.ts'
import { unavailable } from '../../lib/problem.ts'
import { isConnectionLoss } from '../../storage/connection-loss.ts'
import type { Database } from '../../storage/database.ts'
import type { BeforeMigration } from '../../storage/migrations.ts'
import { connectOrStartDatabase, type DatabaseSource, openDatabase } from '../../storage/open-database.ts'
import { prepareMigration } from '../../upgrade/before-migration.ts'
import type { Invocation } from './command.ts'
import { blockIfInterrupted, onInterrupt } from './interrupts.ts'

/** A command runs one statement at a time, but an import rolls up events in a second transaction while its own is open. */
const LIMITS = { timeoutMs: 30_000, requestConnections: 2, backgroundConnections: 3 }

export function withDatabaseSource<T>(
  { config }: Pick<Invocation, 'config'>,
  work: (source: DatabaseSource, log: Logger) => Promise<T>,
): Promise<T> {
  return withOpenSource((log) => connectOrStartDatabase(config, log), work)
}

/** Releases the database source when `work` ends, and also if a signal ends the process. */
export async function withOpenSource<T>(
  open: (log: Logger) => Promise<DatabaseSource>,
  work: (source: DatabaseSource, log: Logger) => Promise<T>,
): Promise<T> {
  const log = createLog('warn', process.stderr)
  const source = await open(log)
  const removeCleanup = onInterrupt(() => {
    log.level = 'silent' // The cleanup closes the connections, which needs no log lines.
    return source.release()
  })
  try {
    return await work(source, log)
  } catch (error) {
    await blockIfInterrupted()
    throw isConnectionLoss(error) ? unavailable('The connection to the database was lost.', error) : error
  } finally {
    await source.release()
    removeCleanup()
  }
}

export function withDatabase<T>(invocation: Invocation, work: (db: Database) => Promise<T>): Promise<T> {
  return withDatabaseSource(invocation, async (source, log) => {
    const schema = source.kind === 'started' ? 'update' : 'require'
    const beforeMigration = prepareCommandMigration(invocation, source)
    const { db } = await openDatabase(source, { log, limits: LIMITS, group: 'background', schema, beforeMigration })
    try {
      return await work(db.recordingOrigin({ command: `belfry ${invocation.commandName}` }))
    } finally {
      await db.close()
    }
  })
}

/** Like the server, a command checks the running nodes and backs up an embedded database before it migrates the database. */
export function prepareCommandMigration({ config, note }: Invocation, source: DatabaseSource): BeforeMigration {
  return prepareMigration({
    config,
    source,
    onBackup: ({ path, bytes }) => note(`Backed up the database before migrating it: ${path} (${formatBytes(bytes)}).`),
    onNoBackup: (reason) => note(`The database is migrated without an automatic backup: ${reason}.`),
  })
}
