import { existsSync } from 'node:fs'
import { type Config, readVersion } from '../config/config.ts'
import { formatBytes } from '../lib/format.ts'
import { formatCommand } from '../lib/program.ts'
import { layoutOf } from '../storage/embedded/layout.ts'
import { withOwnerConnection } from '../storage/open-database.ts'
import { type AutomaticBackup, listAutomaticBackups } from '../upgrade/backup-folder.ts'
import { type DatabaseFacts, readDatabaseFacts } from '../upgrade/database-facts.ts'
import { formatBackupDiskSpace, lacksSpaceForBackup } from '../upgrade/disk-space.ts'
import { findNewestRelease, isNewerVersion, type NewestRelease } from '../upgrade/newest-release.ts'
import { describeIncompatibleNodes, incompatibleNodesRemedy } from '../upgrade/running-nodes.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { formatTime } from './common/table.ts'
import { withDatabaseSource } from './common/with-database.ts'
import { type DoctorDiagnosis, diagnoseError, failure, formatDiagnosis, ok, warning } from './doctor/diagnosis.ts'

function describeRelease(version: string, newestRelease: NewestRelease | undefined): DoctorDiagnosis {
  if (newestRelease === undefined) return ok(`Belfry ${version} is installed. Did not look for newer releases.`)
  if ('problem' in newestRelease) {
    return ok(`Belfry ${version} is installed. Could not look for newer releases: ${newestRelease.problem}.`)
  }
  if (!isNewerVersion(newestRelease.version, version)) return ok(`Belfry ${version} is installed, the newest release.`)
  return ok(
    `Belfry ${version} is installed. Version ${newestRelease.version} is available: docs/upgrade.md says how to install it.`,
  )
}

function describeNodes({ nodes, incompatibleNodes }: DatabaseFacts): DoctorDiagnosis {
  if (incompatibleNodes !== undefined)
    return failure(describeIncompatibleNodes(incompatibleNodes), incompatibleNodesRemedy)
  if (nodes.length === 0) return ok('No node is running.')
  const parts = nodes.map(({ schema, count }) => `${count} with schema version ${schema}`)
  return ok(`Running nodes: ${parts.join(', ')}.`)
}

function describeMigrations({ schema, supportedSchema, pendingMigrations }: DatabaseFacts): DoctorDiagnosis[] {
  if (schema === 0) return [ok(`The database is empty. The first start creates schema version ${supportedSchema}.`)]
  if (pendingMigrations.length === 0) {
    return [ok(`The database has schema version ${schema}, the same as this program: nothing to migrate.`)]
  }
  return [
    ok(`The database has schema version ${schema}, this program has ${supportedSchema}. The next start migrates it:`),
    ...pendingMigrations.map(({ name, summary, worksBesideSchema }) =>
      ok(
        `${name}: ${summary} ${
          worksBesideSchema === null
            ? 'Stop all nodes of earlier versions first.'
            : `Nodes with schema version ${worksBesideSchema} or later keep running.`
        }`,
      ),
    ),
  ]
}

function describeBackup(
  { databaseUrl, dataDir }: Config,
  { pendingMigrations, schema, diskSpace }: DatabaseFacts,
): DoctorDiagnosis[] {
  if (pendingMigrations.length === 0 || schema === 0) return []
  if (databaseUrl !== undefined) {
    const remedy = `Back it up first, with PostgreSQL's own tools or \`${formatCommand('backup')}\`.`
    return [warning('Belfry makes no automatic backup of a database behind DATABASE_URL.', remedy)]
  }
  if (diskSpace === undefined) {
    const remedy = `Run \`${formatCommand('backup')}\` first.`
    return [warning('There will be no automatic backup, because BELFRY_UPGRADE_BACKUP is off.', remedy)]
  }
  const text = formatBackupDiskSpace(dataDir, diskSpace)
  return [lacksSpaceForBackup(diskSpace) ? failure(text, 'Free some space.') : ok(text)]
}

function describeNewestBackup(backup: AutomaticBackup | undefined): DoctorDiagnosis {
  if (backup === undefined) return ok('There is no automatic backup yet.')
  const { path, createdAt, bytes } = backup
  return ok(`The newest automatic backup is ${path}, of ${formatTime(createdAt)} (${formatBytes(bytes)}).`)
}

/** Returns undefined if there is no database yet, instead of creating one. */
async function inspectDatabase(invocation: Invocation): Promise<DatabaseFacts | undefined> {
  const { config } = invocation
  if (config.databaseUrl === undefined && !existsSync(layoutOf(config.dataDir).cluster)) return undefined
  return withDatabaseSource(invocation, ({ connection }) =>
    withOwnerConnection(connection, (client) => readDatabaseFacts(client, config), { acceptsReadOnly: true }),
  )
}

function describeDatabase(config: Config, facts: DatabaseFacts | undefined): DoctorDiagnosis[] {
  if (facts === undefined) return [ok('There is no database yet. The first start creates it.')]
  return [...describeMigrations(facts), describeNodes(facts), ...describeBackup(config, facts)]
}

/** Converts names to snake case, as in the API. */
function formatJson(facts: object): string {
  const toSnakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const convert = (_: string, value: unknown) =>
    typeof value !== 'object' || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).map(([name, entry]) => [toSnakeCase(name), entry]))
  return JSON.stringify(facts, convert, 2)
}

export const upgrade: Command = {
  name: 'upgrade',
  summary: 'show what an upgrade would do, and whether it is safe',
  usage: 'upgrade --check [--offline] [--json]',
  details: [
    '  Shows the installed and the newest version, pending migrations, running nodes, disk space and the newest automatic',
    '  backup. Changes nothing. Exit code 1 means that you must solve a problem before the upgrade. --offline does not ask',
    '  the npm registry for the newest version. --json prints JSON for programs. docs/upgrade.md says how to upgrade.',
  ].join('\n'),
  options: { check: { type: 'boolean' }, offline: { type: 'boolean' }, json: { type: 'boolean' } },
  switchesToOwner: 'later',
  async run(invocation) {
    const { config, options, out } = invocation
    if (!options['check'])
      throw new UsageError(
        "Missing option: --check. Belfry doesn't install new versions itself: docs/upgrade.md says how.",
      )
    const version = await readVersion()
    // This comes before `switchToOwner`, because npm uses the settings of the user who runs the command.
    const newestRelease = options['offline'] ? undefined : await findNewestRelease()
    invocation.switchToOwner()
    const [newestBackup] = await listAutomaticBackups(config.dataDir)
    let database: DatabaseFacts | undefined
    let databaseDiagnoses: DoctorDiagnosis[]
    try {
      database = await inspectDatabase(invocation)
      databaseDiagnoses = describeDatabase(config, database)
    } catch (error) {
      databaseDiagnoses = [diagnoseError(error, 'Database')]
    }
    const diagnoses = [
      describeRelease(version, newestRelease),
      ...databaseDiagnoses,
      ...(config.databaseUrl === undefined ? [describeNewestBackup(newestBackup)] : []),
    ]
    const problems = diagnoses.filter(({ kind }) => kind === 'failure').map(({ text }) => text)
    if (options['json']) out(formatJson({ version, newestRelease, database, newestBackup, problems }))
    else for (const diagnosis of diagnoses) out(formatDiagnosis(diagnosis))
    return problems.length > 0 ? 1 : 0
  },
}
