/** Opens and migrates the database that the configuration names: the embedded one, or a server behind DATABASE_URL. */

import type pg from 'pg'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { formatCommand } from '../lib/program.ts'
import { StartupError } from '../lib/startup-error.ts'
import { readDatabaseRoles } from './access.ts'
import { ConnectionGroups, type DatabaseLimits, type GroupName } from './connection-groups.ts'
import { APPLICATION_NAME, type ConnectionSettings, readConnectionSettings } from './connection-settings.ts'
import { type ConnectOptions, Connector } from './connector.ts'
import { Database } from './database.ts'
import { type DatabaseAddress, findRunningEmbedded, startEmbedded } from './embedded/embedded.ts'
import { type BeforeMigration, type Migration, migrateDatabase, readMigrationState } from './migrations.ts'
import { requireNoMove } from './move-lock.ts'
import { NoServerError } from './no-server-error.ts'
import type { OpenConnection } from './open-connection.ts'
import { sharesSession, TRANSACTION_MODE_HINT, TRANSACTION_MODE_TEXT } from './pooler.ts'

const MIN_POSTGRES_VERSION = 15
/** The newest version that Belfry is tested with. */
const MAX_TESTED_POSTGRES_VERSION = 18
export const SUPPORTED_POSTGRES_VERSIONS = `${MIN_POSTGRES_VERSION} to ${MAX_TESTED_POSTGRES_VERSION}`
const OWNER_CONNECT_TIMEOUT_MS = 10_000
/** Of the connections that are lost within this time, only the first is logged as a warning. */
const LOSS_LOG_INTERVAL_MS = 10_000
/**
 * How long a test of the pooler may take. The test opens a second connection, which waits if the pooler has no free
 * session.
 */
const POOLER_TEST_TIMEOUT_MS = 5_000

export interface DatabaseSource {
  connection: ConnectionSettings
  /** PostgreSQL was started by this process, belongs to a running server, or is the one behind DATABASE_URL. */
  kind: 'started' | 'running' | 'remote'
  release(): Promise<void>
}

type StorageConfig = Pick<Config, 'dataDir' | 'databaseUrl'>

function toConnectionSettings(address: DatabaseAddress): ConnectionSettings {
  // Without an explicit value pg reads PGSSLMODE from the environment.
  return { ...address, ssl: false, application_name: APPLICATION_NAME }
}

/** Opens the database for the server, which must be the only process that uses its data folder. */
export async function startDatabase(config: StorageConfig, log: Logger): Promise<DatabaseSource> {
  if (config.databaseUrl !== undefined) return createRemoteSource(config.databaseUrl)
  const embedded = await startEmbedded({ dataDir: config.dataDir, log })
  return { connection: toConnectionSettings(embedded.address), kind: 'started', release: () => embedded.stop() }
}

/**
 * Opens the database for the command line: connects to a running server's PostgreSQL, or starts it when no server runs.
 */
export async function connectOrStartDatabase(config: StorageConfig, log: Logger): Promise<DatabaseSource> {
  if (config.databaseUrl !== undefined) return createRemoteSource(config.databaseUrl)
  const runningDatabase = await findRunningEmbedded(config.dataDir)
  if (runningDatabase === undefined) return startDatabase(config, log)
  return {
    connection: toConnectionSettings(runningDatabase.address),
    kind: 'running',
    release: async () => runningDatabase.close(),
  }
}

async function createRemoteSource(url: string): Promise<DatabaseSource> {
  return { connection: await readConnectionSettings(url), kind: 'remote', release: async () => {} }
}

const DEFAULT_ADDRESS_NAME = 'DATABASE_URL'

interface OwnerConnectionOptions extends Pick<ConnectOptions, 'acceptsReadOnly'> {
  /** Where the database's address comes from, for error messages. */
  addressName?: string
}

/**
 * Opens a connection as the schema's owner, with our search path, for migrations and restores. With `acceptsReadOnly`, it can
 * lead to a read-only server if no server accepts writes.
 */
export async function withOwnerConnection<T>(
  settings: ConnectionSettings,
  work: (client: pg.Client) => Promise<T>,
  { addressName = DEFAULT_ADDRESS_NAME, ...options }: OwnerConnectionOptions = {},
): Promise<T> {
  const connector = new Connector(settings)
  const connection = await connector
    .connect({ timeoutMs: OWNER_CONNECT_TIMEOUT_MS, setup: 'set search_path = belfry, public', ...options })
    .catch((error: Error) => {
      throw explainConnectFailure(error, addressName)
    })
  try {
    await requireOwnSession(connection, connector)
    return await work(connection.client)
  } finally {
    await connection.close()
  }
}

async function requireOwnSession(connection: OpenConnection, connector: Connector): Promise<void> {
  const openOther = () =>
    connector.connect({
      timeoutMs: POOLER_TEST_TIMEOUT_MS,
      setup: `set statement_timeout = ${POOLER_TEST_TIMEOUT_MS}`,
      acceptsReadOnly: true,
    })
  if (connection.isPooled && (await sharesSession(connection, openOther)))
    throw new StartupError(TRANSACTION_MODE_TEXT, TRANSACTION_MODE_HINT)
}

function explainConnectFailure(error: Error, addressName: string): StartupError {
  if (error instanceof NoServerError && error.isReadOnly) {
    return new StartupError(
      `The database accepts no writes: ${error.message}.`,
      `Point ${addressName} at the primary server, or list all servers (host1,host2), or promote the standby.`,
      { cause: error },
    )
  }
  return new StartupError(
    `Cannot connect to the database: ${error.message}.`,
    `Check ${addressName} and that PostgreSQL is running. For details run \`${formatCommand('doctor')}\`.`,
    { cause: error },
  )
}

/** Throws a StartupError if the server is too old. Returns whether Belfry is tested with its version. */
export async function requireSupportedServer(
  client: Pick<pg.ClientBase, 'query'>,
  addressName = DEFAULT_ADDRESS_NAME,
): Promise<{ isTested: boolean }> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as major`)
  const { major } = rows[0]
  if (major >= MIN_POSTGRES_VERSION) return { isTested: major <= MAX_TESTED_POSTGRES_VERSION }
  throw new StartupError(
    `The database is PostgreSQL ${major}; Belfry supports ${SUPPORTED_POSTGRES_VERSIONS}.`,
    `Point ${addressName} at a newer server${addressName === DEFAULT_ADDRESS_NAME ? ', or leave it unset to use the embedded one' : ''}.`,
  )
}

/**
 * With `schema: 'update'`, applies pending migrations. With `'require'`, which is for commands beside a running server, fails
 * if migrations are pending.
 */
export async function openDatabase(
  source: DatabaseSource,
  options: {
    log: Logger
    limits: DatabaseLimits
    group?: GroupName
    schema: 'update' | 'require'
    signal?: AbortSignal
    beforeMigration?: BeforeMigration
  },
): Promise<{ db: Database; appliedMigrations: Migration[] }> {
  const { log } = options
  const { roles, appliedMigrations } = await withOwnerConnection(source.connection, async (client) => {
    await requireSupportedServer(client)
    await requireNoMove(client)
    if (options.schema === 'require') await requireCurrentSchema(client)
    const appliedMigrations = options.schema === 'update' ? await migrateDatabase(client, options) : []
    return { roles: await readDatabaseRoles(client), appliedMigrations }
  })
  for (const { name } of appliedMigrations) log.info({ migration: name }, 'migration applied')
  const groups = new ConnectionGroups({
    connection: source.connection,
    limits: options.limits,
    onLoss: createLossLog(log),
    onTransactionMode: (isOn) => {
      if (isOn)
        log.error({}, `${TRANSACTION_MODE_TEXT} Until it is changed, requests get 503. ${TRANSACTION_MODE_HINT}`)
      else log.info({}, 'the connection pooler runs in session mode again')
    },
  })
  const db = new Database(groups, roles, options.group)
  return { db, appliedMigrations }
}

/** All connections of a process are usually lost together, so one line is enough. */
function createLossLog(log: Logger): (error: Error) => void {
  let lastLoggedAt = Number.NEGATIVE_INFINITY
  return ({ message }) => {
    const isFirst = performance.now() - lastLoggedAt > LOSS_LOG_INTERVAL_MS
    if (isFirst) lastLoggedAt = performance.now()
    log[isFirst ? 'warn' : 'debug']({ reason: message }, 'database connection lost')
  }
}

async function requireCurrentSchema(client: pg.ClientBase): Promise<void> {
  const { version, pendingMigrations, mustApplyAccess } = await readMigrationState(client)
  if (pendingMigrations.length === 0 && !mustApplyAccess) return
  throw new StartupError(
    version === 0 ? 'The database is empty.' : 'The database schema is older than this version of Belfry.',
    `Run \`${formatCommand('migrate')}\`, or start the server, which migrates it.`,
  )
}
