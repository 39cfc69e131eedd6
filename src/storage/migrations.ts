/** Applies the migrations: plain SQL files, forward only, each applied once. Only the files of `access/` are applied again whenever one of them changes. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientBase } from 'pg'
import { packageFolder } from '../lib/package-folder.ts'
import { StartupError } from '../lib/startup-error.ts'
import { type DatabaseRoles, ensureRequestRole, grantToRequestRole, hasGrants } from './access.ts'
import { applySchemaChange, type SchemaChangeOptions } from './apply-schema-change.ts'
import type { Queries } from './transaction.ts'

const migrationsFolder = join(packageFolder, 'migrations')

/** The version and the name under which the migrations table records the files of `access/`. */
const ACCESS_VERSION = 0
const ACCESS_NAME = 'access'

export interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
}

const readSql = async (...path: string[]) =>
  (await readFile(join(migrationsFolder, ...path), 'utf8')).replaceAll('\r\n', '\n')

function toMigration(version: number, name: string, sql: string): Migration {
  return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
}

async function readAccessMigration(): Promise<Migration> {
  const names = (await readdir(join(migrationsFolder, ACCESS_NAME))).filter((name) => name.endsWith('.sql')).sort()
  const files = await Promise.all(names.map((name) => readSql(ACCESS_NAME, name)))
  return toMigration(ACCESS_VERSION, ACCESS_NAME, files.join('\n'))
}

async function listFiles(): Promise<{ name: string; version: number }[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()
  return names.map((name) => ({ name, version: Number(name.slice(0, 4)) }))
}

let supportedVersion: Promise<number> | undefined

/**
 * Returns the newest schema version that this version of Belfry knows. Reads the files only once, because an upgrade
 * may replace them.
 */
export function readSupportedVersion(): Promise<number> {
  supportedVersion ??= listFiles().then((files) => files.at(-1)?.version ?? 0)
  return supportedVersion
}

export async function readMigrations(): Promise<{ migrations: Migration[]; accessMigration: Migration }> {
  const migrations = (await listFiles()).map(async ({ name, version }) =>
    toMigration(version, name, await readSql(name)),
  )
  return { migrations: await Promise.all(migrations), accessMigration: await readAccessMigration() }
}

interface AppliedMigration {
  version: number
  name: string
  checksum: string
}

async function readAppliedMigrations(client: ClientBase): Promise<AppliedMigration[]> {
  const { rows } = await client.query(`select to_regclass('belfry.migrations') is not null as exists`)
  if (!rows[0].exists) return []
  return (await client.query('select version, name, checksum from belfry.migrations order by version')).rows
}

export interface MigrationState {
  /** The newest version applied; 0 in an empty database. */
  version: number
  pendingMigrations: Migration[]
  /** Whether the files of `access/` differ from those that were applied last. */
  mustApplyAccess: boolean
}

export async function findSchemaVersion(q: Queries): Promise<number> {
  return (await q.query('select coalesce(max(version), 0) as version from migrations'))[0]?.['version']
}

/** Compares the migration files with the database. Throws when they are incompatible. */
export async function readMigrationState(client: ClientBase): Promise<MigrationState> {
  const { migrations, accessMigration } = await readMigrations()
  const appliedMigrations = await readAppliedMigrations(client)
  const newestVersion = migrations.at(-1)?.version ?? 0
  const version = appliedMigrations.at(-1)?.version ?? 0
  if (version > newestVersion) {
    throw new StartupError(
      `A newer version of Belfry has migrated this database: its schema version is ${version}, this version supports up to ${newestVersion}.`,
      'Start the newer version, or restore a backup made by this version.',
    )
  }
  for (const migration of migrations) {
    const appliedMigration = appliedMigrations.find((row) => row.version === migration.version)
    if (appliedMigration !== undefined && appliedMigration.checksum !== migration.checksum) {
      throw new StartupError(
        `Migration ${migration.name} differs from the one that was applied to this database.`,
        'Restore the released file. Schema changes need a new migration.',
      )
    }
  }
  return {
    version,
    pendingMigrations: migrations.filter((migration) => migration.version > version),
    mustApplyAccess:
      appliedMigrations.find((row) => row.version === ACCESS_VERSION)?.checksum !== accessMigration.checksum,
  }
}

/**
 * Applies the migrations up to version `maxVersion` inside the caller's transaction, without those of `access/`: a restore fills the
 * tables before row level security protects them. Requires the search path `belfry, public`.
 */
export async function applyTableMigrations(
  client: ClientBase,
  maxVersion = Number.POSITIVE_INFINITY,
): Promise<{ appliedMigrations: Migration[]; mustApplyAccess: boolean }> {
  await client.query('create schema if not exists belfry')
  await client.query(`create table if not exists belfry.migrations (
    version integer primary key, name text not null, checksum text not null, applied_at timestamptz not null default now())`)
  const { pendingMigrations, mustApplyAccess } = await readMigrationState(client)
  const appliedMigrations = pendingMigrations.filter((migration) => migration.version <= maxVersion)
  // Gives the migrations access to the rows of all users. Row level security would otherwise hide these rows: a
  // migration would change nothing, and would not fail.
  const { rows } = await client.query(
    `select coalesce(current_setting('belfry.across_users', true), '') as before, set_config('belfry.across_users', 'on', true)`,
  )
  for (const migration of appliedMigrations) await applyMigration(client, migration)
  await client.query(`select set_config('belfry.across_users', $1, true)`, [rows[0].before])
  return { appliedMigrations, mustApplyAccess: mustApplyAccess || appliedMigrations.length > 0 }
}

/** Applies pending migrations inside the caller's transaction. Requires the search path `belfry, public`. */
export async function applyMigrations(client: ClientBase, roles: DatabaseRoles): Promise<Migration[]> {
  const { appliedMigrations, mustApplyAccess } = await applyTableMigrations(client)
  if (mustApplyAccess) await applyMigration(client, (await readMigrations()).accessMigration)
  if (roles.requestRole !== undefined) await grantToRequestRole(client, roles.requestRole)
  return appliedMigrations
}

async function applyMigration(client: ClientBase, migration: Migration): Promise<void> {
  await client.query(migration.sql)
  await client.query(
    `insert into belfry.migrations (version, name, checksum) values ($1, $2, $3)
     on conflict (version) do update set name = excluded.name, checksum = excluded.checksum, applied_at = now()`,
    [migration.version, migration.name, migration.checksum],
  )
}

/** Runs before the first statement of a migration. If it throws, nothing is changed. */
export type BeforeMigration = (client: ClientBase, state: MigrationState) => Promise<void>

export interface MigrationOptions extends SchemaChangeOptions {
  /** Called before the first migration, except in an empty database. */
  beforeMigration?: BeforeMigration | undefined
}

/** Brings the database up to date. When several nodes call it together, one does the work and the others wait for it. */
export async function migrateDatabase(client: ClientBase, options?: MigrationOptions): Promise<Migration[]> {
  const state = await readMigrationState(client)
  if (state.version > 0 && state.pendingMigrations.length > 0) await options?.beforeMigration?.(client, state)
  const roles = await ensureRequestRole(client)
  if (state.pendingMigrations.length === 0 && !state.mustApplyAccess && (await hasGrants(client, roles))) return []
  return applySchemaChange(client, () => applyMigrations(client, roles), options)
}
