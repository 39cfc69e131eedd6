/** The two databases of a move: how to open each one, and its name in messages. */
import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Config } from '../../config/config.ts'
import { parseDatabaseUrl } from '../../config/database-url.ts'
import { hideUrlSecrets } from '../../config/hide-secrets.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { layoutOf } from '../../storage/embedded/layout.ts'
import { type DatabaseSource, startDatabase } from '../../storage/open-database.ts'
import { type OptionValue, UsageError } from '../common/command.ts'

export interface Endpoint {
  kind: 'embedded' | 'server'
  /** Where the database's address comes from, such as `--to`. */
  addressName: string
  /** The name in messages, without the password. */
  name: string
  /** If the database is embedded, starts PostgreSQL and locks the data folder until the returned source is released. */
  open(log: Logger): Promise<DatabaseSource>
}

type EndpointConfig = Pick<Config, 'dataDir' | 'databaseUrl'>

export function describeSource({ dataDir, databaseUrl }: EndpointConfig): Endpoint {
  if (databaseUrl !== undefined) return describeServer('DATABASE_URL', { dataDir, databaseUrl })
  if (!existsSync(layoutOf(dataDir).cluster)) {
    throw new StartupError(
      `There is no database in ${dataDir}.`,
      'Set BELFRY_DATA to the data folder of your server, or DATABASE_URL to its database.',
    )
  }
  return describeEmbedded(dataDir)
}

export function describeTarget(to: OptionValue, { dataDir, databaseUrl }: EndpointConfig): Endpoint {
  if (typeof to !== 'string' || to === '') throw new UsageError('Missing option: --to <postgres://…|embedded>')
  if (to === 'embedded') {
    if (databaseUrl === undefined)
      throw new UsageError('Belfry uses the embedded database already. Set DATABASE_URL to the database to move from.')
    return describeEmbedded(dataDir)
  }
  try {
    parseDatabaseUrl(to)
  } catch (error) {
    throw new UsageError(`--to ${(error as Error).message}, or be \`embedded\``)
  }
  return describeServer('--to', { dataDir, databaseUrl: to })
}

function describeServer(addressName: string, config: EndpointConfig & { databaseUrl: string }): Endpoint {
  const name = hideUrlSecrets(config.databaseUrl, '<password>')
  return { kind: 'server', addressName, name, open: (log) => startDatabase(config, log) }
}

function describeEmbedded(dataDir: string): Endpoint {
  return {
    kind: 'embedded',
    addressName: 'BELFRY_DATA',
    name: `the embedded database in ${dataDir}`,
    open: (log) => startDatabase({ dataDir, databaseUrl: undefined }, log),
  }
}
