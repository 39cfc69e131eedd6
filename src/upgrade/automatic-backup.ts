/** Backs up the database automatically before an upgrade or a rollback changes its schema. */

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Config, readVersion } from '../config/config.ts'
import { createTemporaryPath, writeCompleteFile } from '../lib/atomic-file.ts'
import { systemClock } from '../lib/clock.ts'
import { findStoredSecret, Secret } from '../lib/secret.ts'
import { withDump } from '../storage/backup/dump.ts'
import { createBackupGzip } from '../storage/backup/gzip.ts'
import { type DatabaseSource, withOwnerConnection } from '../storage/open-database.ts'
import { createBackupFolder, nameBackup, removeOldBackups, removeUnfinishedBackups } from './backup-folder.ts'
import { findRecordedVersion } from './version-record.ts'

export interface SavedBackup {
  path: string
  bytes: number
}

type BackupConfig = Pick<Config, 'dataDir' | 'secret'>

/** Backs up the current data, then deletes older automatic backups that are no longer kept. */
export async function saveAutomaticBackup(
  { dataDir, secret }: BackupConfig,
  source: Pick<DatabaseSource, 'connection' | 'kind'>,
  schemaStep: { from: number; to: number },
  signal?: AbortSignal,
): Promise<SavedBackup> {
  // A process that has started PostgreSQL holds the lock of the data folder, so no other process is writing a backup there.
  if (source.kind === 'started') await removeUnfinishedBackups(dataDir)
  const now = systemClock.now()
  const path = join(await createBackupFolder(dataDir), nameBackup(schemaStep, now))
  const [belfryVersion, previousVersion] = [await readVersion(), await findRecordedVersion(dataDir)]
  await withOwnerConnection(source.connection, (client) =>
    withDump(client, { belfryVersion, previousVersion, now }, async (dump) => {
      const includedSecret = await findIncludedSecret({ dataDir, secret }, dump.header.secret_fingerprint)
      const temporaryPath = createTemporaryPath(path)
      await writeCompleteFile({ path, force: true, temporaryPath }, async (to) => {
        const text = dump.text({ secret: includedSecret, onProgress: () => {} })
        await pipeline(text, createBackupGzip(), to, { ...(signal !== undefined && { signal }) })
      })
    }),
  )
  await removeOldBackups(dataDir)
  return { path, bytes: (await stat(path)).size }
}

/**
 * Returns the secret of the data folder if the database uses it. The automatic backup contains this secret, like a
 * backup by `belfry backup`, so that the file alone is enough for a restore.
 */
async function findIncludedSecret(
  { dataDir, secret }: BackupConfig,
  fingerprint: string | null,
): Promise<string | undefined> {
  if (secret !== undefined) return undefined
  const storedSecret = await findStoredSecret(dataDir)
  return storedSecret !== undefined && new Secret(storedSecret).fingerprint === fingerprint ? storedSecret : undefined
}
