/** From a configuration to an open, migrated database: embedded, or somebody's server. */

import pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { StartupError } from '../lib/startup-error.ts'
import { findRights } from './access.ts'
import { Database, type PoolSizes } from './database.ts'
import { type DatabaseAddress, findRunningEmbedded, startEmbedded } from './embedded/embedded.ts'
import { type Migration, migrate, readMigrationState } from './migrations.ts'

export const OLDEST_POSTGRES = 15

export interface Place {
  connection: pg.ClientConfig
  /** Whose PostgreSQL it is: one that this process started, one of a running server, or one behind DATABASE_URL. */
  kind: 'started' | 'running' | 'remote'
  release(): Promise<void>
}

type Storage = Pick<Config, 'dataDir' | 'databaseUrl'>

const applicationName = 'belfry'

function connectionTo(address: DatabaseAddress): pg.ClientConfig {
  // Said outright, because pg looks for PGSSLMODE in the environment otherwise.
  return { ...address, ssl: false, application_name: applicationName }
}

/** For the server: it must be the only one on its data folder. */
export async function startDatabase(config: Storage, log: Logger): Promise<Place> {
  if (config.databaseUrl !== undefined) return remotePlace(config.databaseUrl)
  const embedded = await startEmbedded({ dataDir: config.dataDir, log })
  return { connection: connectionTo(embedded.address), kind: 'started', release: () => embedded.stop() }
}

/** For the command line: beside a running server where there is one, on its own otherwise. */
export async function joinDatabase(config: Storage, log: Logger): Promise<Place> {
  if (config.databaseUrl !== undefined) return remotePlace(config.databaseUrl)
  const running = await findRunningEmbedded(config.dataDir)
  if (running === undefined) return startDatabase(config, log)
  return { connection: connectionTo(running.address), kind: 'running', release: async () => running.close() }
}

function remotePlace(url: string): Place {
  return {
    connection: { connectionString: url, application_name: applicationName },
    kind: 'remote',
    release: async () => {},
  }
}

/** One connection with our search path, for migrations and restores. */
export async function withOwner<T>(connection: pg.ClientConfig, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // a query under way gets the same error
  try {
    await client.connect()
  } catch (error) {
    throw new StartupError(
      `The database cannot be reached: ${(error as Error).message || (error as NodeJS.ErrnoException).code}.`,
      'Check DATABASE_URL and that PostgreSQL is running; `npm run belfry -- doctor` tells more.',
      { cause: error },
    )
  }
  try {
    await client.query('set search_path = belfry, public')
    return await work(client)
  } finally {
    await client.end()
  }
}

export async function requireSupportedServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as major`)
  if (rows[0].major >= OLDEST_POSTGRES) return
  throw new StartupError(
    `The database is PostgreSQL ${rows[0].major}; Belfry needs ${OLDEST_POSTGRES} or newer.`,
    'Point DATABASE_URL at a newer server, or leave it unset to use the embedded one.',
  )
}

/** `update`: bring the schema up to date; `require`: it must be so already (a running server's is not ours to change). */
export async function openDatabase(
  place: Place,
  options: { log: Logger; sizes: PoolSizes; schema: 'update' | 'require' },
): Promise<{ db: Database; applied: Migration[] }> {
  const { log } = options
  const { rights, applied } = await withOwner(place.connection, async (client) => {
    await requireSupportedServer(client)
    if (options.schema === 'require') await requireCurrentSchema(client)
    const applied = options.schema === 'update' ? await migrate(client) : []
    return { rights: await findRights(client), applied }
  })
  for (const { name } of applied) log.info({ migration: name }, 'migration applied')
  const db = new Database({
    connection: place.connection,
    rights,
    sizes: options.sizes,
    onIdleError: (error) => log.warn({ reason: error.message }, 'a database connection was lost'),
  })
  return { db, applied }
}

async function requireCurrentSchema(client: pg.ClientBase): Promise<void> {
  const { version, pending, accessChanged } = await readMigrationState(client)
  if (pending.length === 0 && !accessChanged) return
  throw new StartupError(
    version === 0 ? 'The database is empty.' : 'The database was written by an older Belfry.',
    'Run `npm run belfry -- migrate`, or start this version of the server.',
  )
}
