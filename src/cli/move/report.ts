/** What `move` prints at the end: the copied tables, and what to do now. */
import { join } from 'node:path'
import type { Config } from '../../config/config.ts'
import { formatCount } from '../../lib/format.ts'
import { layoutOf } from '../../storage/embedded/layout.ts'
import type { CopiedTable } from '../../storage/move/copy-database.ts'
import { formatBytes } from '../progress.ts'
import { formatTable } from '../table.ts'
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
  /** Where DATABASE_URL is set, such as `/etc/belfry/belfry.env, line 3`. undefined if it is not set. */
  urlOrigin: string | undefined
}

export function formatNextSteps({ source, target, secretPlace, urlOrigin }: MoveResult, config: Config): string {
  const steps = [
    target.kind === 'server' ? formatServerStep(target, urlOrigin) : formatEmbeddedStep(config, urlOrigin),
    formatSecretStep(target, secretPlace),
    formatOldDatabaseStep(source, config),
  ]
  return ['What to do now:', ...steps.map((step, index) => `${index + 1}. ${step}`)].join('\n')
}

function formatServerStep({ name }: Endpoint, urlOrigin: string | undefined): string {
  const place = urlOrigin === undefined ? '' : ` (now set in ${urlOrigin})`
  return `Set DATABASE_URL${place} for every Belfry server, and start them:\n     DATABASE_URL=${name}`
}

function formatEmbeddedStep({ dataDir }: Config, urlOrigin: string | undefined): string {
  const place = urlOrigin === undefined ? '' : ` (set in ${urlOrigin})`
  return `Remove DATABASE_URL${place}, and start one server with this data folder:\n     BELFRY_DATA=${dataDir}`
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
  const warning = `The old database was not changed: ${name}.\n   Don't start a server on it, because its data and the new database's would diverge.`
  const remedy =
    kind === 'embedded'
      ? `When the new one works, delete ${layoutOf(dataDir).cluster}, but not ${join(dataDir, 'secret')}.`
      : 'When the new one works, drop it.'
  return `${warning}\n   ${remedy}`
}
