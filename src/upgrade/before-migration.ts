/** What happens before a database that has data is migrated. If anything here fails, the migration doesn't begin. */
import type { ClientBase } from 'pg'
import type { Config } from '../config/config.ts'
import { formatCommand } from '../lib/program.ts'
import { StartupError } from '../lib/startup-error.ts'
import type { BeforeMigration, MigrationState } from '../storage/migrations.ts'
import type { DatabaseSource } from '../storage/open-database.ts'
import { type SavedBackup, saveAutomaticBackup } from './automatic-backup.ts'
import { formatBackupDiskSpace, lacksSpaceForBackup, readBackupDiskSpace } from './disk-space.ts'
import { requireCompatibleNodes } from './running-nodes.ts'

interface Deps {
  config: Pick<Config, 'dataDir' | 'hasUpgradeBackups' | 'secret'>
  source: DatabaseSource
  /** Aborted when the server stops. */
  signal?: AbortSignal | undefined
  /** Called when the backup is complete. */
  onBackup(backup: SavedBackup): void
  /** Called if the database is migrated without an automatic backup, with the reason. */
  onNoBackup(reason: string): void
}

const skipHint = 'set BELFRY_UPGRADE_BACKUP=off to migrate without a backup'

/**
 * Returns a function that refuses the migration if running nodes would fail after it. Otherwise the function backs up
 * the database if it is embedded.
 */
export function prepareMigration({ config, source, signal, onBackup, onNoBackup }: Deps): BeforeMigration {
  return async (client, state) => {
    // No other node can use the embedded database that this process has started.
    if (source.kind !== 'started') await requireCompatibleNodes(client, state)
    if (source.kind === 'remote') {
      onNoBackup('Belfry backs up only its embedded database automatically')
    } else if (!config.hasUpgradeBackups) {
      onNoBackup('BELFRY_UPGRADE_BACKUP is off')
    } else {
      onBackup(await backUp(client, state, { config, source, signal }))
    }
  }
}

async function backUp(
  client: ClientBase,
  { version, pendingMigrations }: MigrationState,
  { config, source, signal }: Pick<Deps, 'config' | 'source' | 'signal'>,
): Promise<SavedBackup> {
  const diskSpace = await readBackupDiskSpace(client, config.dataDir)
  if (lacksSpaceForBackup(diskSpace)) {
    throw new StartupError(
      `The database was not migrated. ${formatBackupDiskSpace(config.dataDir, diskSpace)} Nothing was changed.`,
      `Free some space, or back up to another disk (\`${formatCommand('backup <file>')}\`) and ${skipHint}.`,
    )
  }
  const newestVersion = Math.max(...pendingMigrations.map((migration) => migration.version))
  try {
    return await saveAutomaticBackup(config, source, { from: version, to: newestVersion }, signal)
  } catch (error) {
    throw new StartupError(
      `The database was not migrated, because the backup before the migration failed: ${toSentence((error as Error).message)} Nothing was changed.`,
      `Fix the problem and start again, or ${skipHint}.`,
      { cause: error },
    )
  }
}

/** Our own messages end with a period, but those of the system don't. */
const toSentence = (message: string) => (message.endsWith('.') ? message : `${message}.`)
