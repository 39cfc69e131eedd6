import { resolve } from 'node:path'
import type pg from 'pg'
import { readVersion } from '../config/config.ts'
import { formatBytes, formatCount } from '../lib/format.ts'
import { formatCommand } from '../lib/program.ts'
import { StartupError } from '../lib/startup-error.ts'
import type { BackupContents } from '../storage/backup/contents.ts'
import { readCurrentDatabase } from '../storage/backup/current-database.ts'
import { readSupportedVersion } from '../storage/migrations.ts'
import { type DatabaseSource, requireSupportedServer, withOwnerConnection } from '../storage/open-database.ts'
import { saveAutomaticBackup } from '../upgrade/automatic-backup.ts'
import { backupFolderOf, isFromUpgrade, listAutomaticBackups } from '../upgrade/backup-folder.ts'
import { formatBackupDiskSpace, lacksSpaceForBackup, readBackupDiskSpace } from '../upgrade/disk-space.ts'
import { findRunningNodes } from '../upgrade/running-nodes.ts'
import { countRows, readSchemaVersion } from '../upgrade/store.ts'
import { findRecordedVersion, recordVersion } from '../upgrade/version-record.ts'
import { BackupFile } from './backup-file.ts'
import { type Command, type Invocation, UsageError } from './common/command.ts'
import { confirm } from './common/confirm.ts'
import { openAndSwitchToOwner } from './common/open-files.ts'
import { formatTable, formatTime } from './common/table.ts'
import { withDatabaseSource } from './common/with-database.ts'
import { loadBackup, requireOwnDatabase, verifyBackup } from './load-backup.ts'
import { planSecretSwap } from './secret-swap.ts'

/**
 * Before the confirmation, the command prints how many rows these tables have. The keys are the names that pages use.
 */
const countedTables = {
  accounts: 'users',
  websites: 'websites',
  monitors: 'monitors',
  incidents: 'incidents',
  channels: 'providers',
  'status pages': 'status_pages',
  events: 'events',
} as const

async function printBackups({ config, out }: Invocation): Promise<void> {
  const backups = await listAutomaticBackups(config.dataDir)
  if (backups.length === 0) return out(`There is no automatic backup in ${backupFolderOf(config.dataDir)}.`)
  const rows = backups.map((backup) => [
    formatTime(backup.createdAt),
    `${isFromUpgrade(backup) ? 'upgrade' : 'rollback'} from ${backup.from} to ${backup.to}`,
    formatBytes(backup.bytes),
    backup.path,
  ])
  out(formatTable(['CREATED', 'BEFORE', 'SIZE', 'FILE'], rows))
}

/** A running server would lose the rows that it writes during the rollback, and could not use the old schema afterwards. */
async function requireNoServer(client: pg.ClientBase, { kind }: DatabaseSource): Promise<void> {
  const isRunning = kind === 'running' || (kind === 'remote' && (await findRunningNodes(client)).length > 0)
  if (!isRunning) return
  throw new StartupError(
    kind === 'running' ? 'A server is using the data folder.' : 'A node is using the database.',
    'Stop all servers first. Nothing was changed.',
  )
}

/** Opens the newest automatic backup. Returns undefined if the last upgrade has been rolled back already. */
async function openAutomaticBackup({ config }: Invocation, currentSchema: number): Promise<BackupFile | undefined> {
  const backups = (await listAutomaticBackups(config.dataDir)).filter(isFromUpgrade)
  const backup = backups.find(({ from }) => from < currentSchema)
  if (backup !== undefined) return BackupFile.open(backup.path)
  if (backups[0]?.from === currentSchema) return undefined
  throw new StartupError(
    `There is no automatic backup from before schema version ${currentSchema} in ${backupFolderOf(config.dataDir)}.`,
    `Name a backup: \`${formatCommand('rollback <file>')}\`. Nothing was changed.`,
  )
}

async function describeLoss(client: pg.ClientBase, { header, rowCounts }: BackupContents): Promise<string> {
  const currentCounts = await countRows(client, Object.values(countedTables))
  const rows = Object.entries(countedTables)
    .map(([name, table]) => ({ name, now: currentCounts.get(table) ?? 0, inBackup: rowCounts[table] ?? 0 }))
    .filter(({ now, inBackup }) => now > 0 || inBackup > 0)
    .map(({ name, now, inBackup }) => [name, formatCount(now), formatCount(inBackup)])
  const warning = `This replaces all data with the backup of ${header.created_at}, in schema version ${header.schema}. Everything that was stored after that time is lost.`
  return rows.length === 0 ? warning : `${formatTable(['', 'NOW', 'BACKUP'], rows)}\n${warning}`
}

async function requireSpaceForBackup(
  { config }: Invocation,
  client: pg.ClientBase,
  { kind }: DatabaseSource,
): Promise<void> {
  // With DATABASE_URL, PostgreSQL doesn't use this disk, so filling it does no harm.
  if (!config.hasUpgradeBackups || kind === 'remote') return
  const diskSpace = await readBackupDiskSpace(client, config.dataDir)
  if (!lacksSpaceForBackup(diskSpace)) return
  throw new StartupError(
    `${formatBackupDiskSpace(config.dataDir, diskSpace)} Nothing was changed.`,
    'Free some space, or set BELFRY_UPGRADE_BACKUP=off to roll back without a backup of the current data.',
  )
}

/**
 * Backs up the current data, and returns how to undo the rollback. A rollback without this backup can't be undone, so
 * only the operator can turn it off, with BELFRY_UPGRADE_BACKUP.
 */
async function backUpCurrentState(
  { config, note }: Invocation,
  source: DatabaseSource,
  schemaStep: { from: number; to: number },
): Promise<string> {
  if (schemaStep.from === 0) return ''
  if (!config.hasUpgradeBackups) return 'The replaced data was not backed up, because BELFRY_UPGRADE_BACKUP is off.'
  const { path, bytes } = await saveAutomaticBackup(config, source, schemaStep)
  note(`Backed up the current data: ${path} (${formatBytes(bytes)}).`)
  return `To undo the rollback, run \`${formatCommand(`restore ${path}`)}\` with this version.`
}

async function describeNextSteps(schema: number, previousVersion: string | undefined): Promise<string> {
  const version = await readVersion()
  if (schema >= (await readSupportedVersion()))
    return `Start Belfry ${version}: it uses the schema version of the backup.`
  const install =
    previousVersion === undefined || previousVersion === version
      ? 'Now install the version of Belfry that you used before the upgrade, and start it.'
      : `Now install Belfry ${previousVersion}, which used this database before the upgrade, and start it: ` +
        `\`npm install -g belfry@${previousVersion}\`, or the Debian package or image of that version.`
  return `${install}\nThis version, ${version}, would migrate the database again when it starts. So would commands such as \`${formatCommand('user list')}\`.`
}

/** `givenFile` is the backup that the user has named. Without it, the newest automatic backup is restored. */
async function rollBack(
  invocation: Invocation,
  { source, client, givenFile }: { source: DatabaseSource; client: pg.Client; givenFile: BackupFile | undefined },
): Promise<void> {
  await requireSupportedServer(client)
  await requireNoServer(client, source)
  const currentSchema = await readSchemaVersion(client)
  const file = givenFile ?? (await openAutomaticBackup(invocation, currentSchema))
  if (file === undefined) {
    const { config, out } = invocation
    out(`The database has schema version ${currentSchema}: the last upgrade has been rolled back already.`)
    out(await describeNextSteps(currentSchema, await findRecordedVersion(config.dataDir)))
    return
  }
  try {
    await rollBackTo(file, invocation, { source, client, currentSchema })
  } finally {
    await file.close()
  }
}

async function rollBackTo(
  file: BackupFile,
  invocation: Invocation,
  { source, client, currentSchema }: { source: DatabaseSource; client: pg.Client; currentSchema: number },
): Promise<void> {
  const { config, options, out, note } = invocation
  const contents = await verifyBackup(file, invocation)
  const { created_at, schema, secret_fingerprint: fingerprint, previous_belfry: previousVersion } = contents.header
  requireOwnDatabase(await readCurrentDatabase(client))
  const swap = await planSecretSwap(config, { fingerprint, secret: contents.extras.secret })
  if (currentSchema > 0) await requireSpaceForBackup(invocation, client, source)
  const warning = await describeLoss(client, contents)
  if (options['yes']) note(warning)
  await confirm(invocation, { warning, word: 'rollback' })
  const undoHint = await backUpCurrentState(invocation, source, { from: currentSchema, to: schema })
  await loadBackup(client, { file, contents, swap, keepsSchema: true }, invocation)
  if (previousVersion !== undefined) await recordVersion(config.dataDir, previousVersion)
  out(`Rolled back to the backup of ${created_at}, schema version ${schema}.`)
  if (undoHint) out(undoHint)
  if (swap.remark) note(swap.remark)
  out(await describeNextSteps(schema, previousVersion))
}

export const rollback: Command = {
  name: 'rollback',
  summary: 'return to the backup from before the last upgrade',
  usage: 'rollback [file] [--list] [--yes]',
  details: [
    '  Stop all servers first, and install the earlier version of Belfry afterwards. Replaces all data with the newest',
    '  automatic backup from before an upgrade, or with [file]. Keeps the schema version of the backup, so that the earlier',
    '  version can start. Backs up the current data first. An error or an interruption changes nothing. Asks for',
    '  confirmation, unless you add --yes. --list shows the automatic backups.',
  ].join('\n'),
  options: { list: { type: 'boolean' }, yes: { type: 'boolean' } },
  maxArguments: 1,
  switchesToOwner: 'later',
  async run(invocation) {
    const { config, options, positionals } = invocation
    const path = positionals[0] === undefined || options['list'] ? undefined : resolve(positionals[0])
    const givenFile = await openAndSwitchToOwner(invocation, path === undefined ? [] : [path], async () =>
      path === undefined ? undefined : BackupFile.open(path),
    )
    if (options['list']) {
      await printBackups(invocation)
      return 0
    }
    if (givenFile === undefined && config.databaseUrl !== undefined) {
      throw new UsageError(
        'Missing argument: <file>. Belfry makes no automatic backups before upgrades of a database behind DATABASE_URL.',
      )
    }
    if (givenFile === undefined && (await listAutomaticBackups(config.dataDir)).length === 0) {
      throw new StartupError(
        `There is no automatic backup in ${backupFolderOf(config.dataDir)}.`,
        `Name a backup: \`${formatCommand('rollback <file>')}\`. Nothing was changed.`,
      )
    }
    await withDatabaseSource(invocation, (source) =>
      withOwnerConnection(source.connection, (client) => rollBack(invocation, { source, client, givenFile })),
    ).finally(() => givenFile?.close())
    return 0
  },
}
