/** Formats what `move` prints at the end: the copied tables, and what to do now. */
import { join } from 'node:path'
import { type CollectedSettings, ENVIRONMENT_ORIGIN } from '../../config/collect-settings.ts'
import type { Config } from '../../config/config.ts'
import { formatBytes, formatCount } from '../../lib/format.ts'
import { layoutOf } from '../../storage/embedded/layout.ts'
import type { CopiedTable } from '../../storage/move/copy-database.ts'
import type { Invocation } from '../common/command.ts'
import { formatTable } from '../common/table.ts'
import type { Endpoint } from './endpoints.ts'

export function formatSummary(tables: readonly CopiedTable[]): string {
  const filledTables = tables.filter(({ rows }) => rows > 0)
  const total = {
    name: `${tables.length} tables`,
    rows: filledTables.reduce((sum, { rows }) => sum + rows, 0),
    bytes: filledTables.reduce((sum, { bytes }) => sum + bytes, 0),
  }
  const lines = [...filledTables, total].map(({ name, rows, bytes }) => [name, formatCount(rows), formatBytes(bytes)])
  return [
    formatTable(['TABLE', 'ROWS', 'COPIED'], lines),
    '',
    'Verified: every table has the same number of rows and the same checksum in both databases.',
  ].join('\n')
}

export interface MoveResult {
  source: Endpoint
  target: Endpoint
  /** Where the secret is: a path, or `BELFRY_SECRET`. */
  secretPlace: string
}

type Settings = Pick<Invocation, 'config' | 'settings'>

export function formatNextSteps({ source, target, secretPlace }: MoveResult, { config, settings }: Settings): string {
  const steps = [
    target.kind === 'server' ? formatServerStep(target, settings) : formatEmbeddedStep(config, settings),
    formatSecretStep(target, secretPlace),
    formatOldDatabaseStep(source, config),
  ]
  return ['', 'What to do now:', ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n')
}

function findUrlPlace({ values }: CollectedSettings): string | undefined {
  const origin = values.get('DATABASE_URL')?.origin
  return origin === ENVIRONMENT_ORIGIN ? 'the environment' : origin
}

function formatServerStep({ name }: Endpoint, settings: CollectedSettings): string {
  const place = findUrlPlace(settings)
  const change =
    place !== undefined
      ? `Change DATABASE_URL in ${place}`
      : settings.configFile !== undefined
        ? `Add DATABASE_URL to ${settings.configFile}`
        : 'Set DATABASE_URL'
  return `${change}, do the same for every other Belfry server, and start them:\n     DATABASE_URL=${name}`
}

function formatEmbeddedStep({ dataDir }: Config, settings: CollectedSettings): string {
  return `Remove DATABASE_URL from ${findUrlPlace(settings)}, and start one server with this data folder:\n     BELFRY_DATA=${dataDir}`
}

function formatSecretStep({ kind }: Endpoint, secretPlace: string): string {
  if (secretPlace === 'BELFRY_SECRET') return 'Keep BELFRY_SECRET as it is: it decrypts the stored credentials.'
  const others =
    kind === 'server'
      ? '\n   Servers on other machines need the same file in their data folders, or its text in BELFRY_SECRET.'
      : ''
  return `Keep the secret ${secretPlace}: it decrypts the stored credentials.${others}`
}

function formatOldDatabaseStep({ kind, name }: Endpoint, { dataDir }: Config): string {
  const warning = `The old database was not changed: ${name}.\n   Don't start a server on it, because the old and the new data would diverge.`
  const remedy =
    kind === 'embedded'
      ? `When the new database works, delete ${layoutOf(dataDir).cluster}, but not ${join(dataDir, 'secret')}.`
      : 'When the new database works, drop the old one.'
  return `${warning}\n   ${remedy}`
}
