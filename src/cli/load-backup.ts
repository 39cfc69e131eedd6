/** Verifies a backup and loads it, for `restore` and `rollback`. */
import type pg from 'pg'
import { StartupError } from '../lib/startup-error.ts'
import { ensureRequestRole } from '../storage/access.ts'
import { type BackupContents, verifyContents } from '../storage/backup/contents.ts'
import type { CurrentDatabase } from '../storage/backup/current-database.ts'
import { commitLoad, loadContents, UnknownCommitError } from '../storage/backup/load.ts'
import { analyzeTables } from '../storage/backup/replace-tables.ts'
import { readSupportedVersion } from '../storage/migrations.ts'
import type { BackupFile } from './backup-file.ts'
import type { Invocation } from './common/command.ts'
import { onInterrupt, withoutInterrupts } from './common/interrupts.ts'
import { Progress } from './common/progress.ts'
import type { SecretSwap } from './secret-swap.ts'

/** Reads the whole file, and throws if it is damaged or newer than this version of Belfry. */
export async function verifyBackup(file: BackupFile, { note }: Invocation): Promise<BackupContents> {
  const progress = new Progress(note, 'Verifying')
  const contents = await verifyContents(file.read(), progress.add)
  progress.end('The backup is intact')
  const newestVersion = await readSupportedVersion()
  if (contents.header.schema <= newestVersion) return contents
  throw new StartupError(
    `A newer version of Belfry created this backup: its schema version is ${contents.header.schema}, this version supports up to ${newestVersion}.`,
    `Restore it with Belfry ${contents.header.belfry} or newer. Nothing was changed.`,
  )
}

/** Restored tables belong to the login that restores them. A server with another login would lose access to them. */
export function requireOwnDatabase({ otherOwner }: CurrentDatabase): void {
  if (otherOwner === null) return
  throw new StartupError(
    `The database belongs to another login, ${otherOwner}.`,
    'Use the same DATABASE_URL as the server. Nothing was changed.',
  )
}

interface LoadedBackup {
  file: BackupFile
  /** The result of `verifyBackup`. */
  contents: BackupContents
  swap: SecretSwap
  /** Leaves the tables in the backup's schema version. */
  keepsSchema?: boolean
}

/** Replaces all data in one transaction, and the secret of the data folder if the restored data needs another one. */
export async function loadBackup(
  client: pg.Client,
  { file, contents, swap, keepsSchema = false }: LoadedBackup,
  { note }: Invocation,
): Promise<void> {
  const progress = new Progress(note, 'Restoring', contents.bytes)
  const roles = await ensureRequestRole(client)
  const removeCleanup = onInterrupt(() => swap.undo())
  let hasPrintedWaitNote = false
  try {
    await swap.prepare()
    await loadContents(client, {
      contents,
      roles,
      keepsSchema,
      open: () => file.read(),
      onProgress: progress.add,
      onWait: () => {
        if (!hasPrintedWaitNote) note('Waiting for other connections to release the database…')
        hasPrintedWaitNote = true
      },
    })
    await withoutInterrupts(async () => {
      await commitLoad(client)
      removeCleanup()
      await swap.finish()
    })
  } catch (error) {
    if (!(error instanceof UnknownCommitError)) await swap.undo()
    throw error
  } finally {
    removeCleanup()
  }
  progress.end(`Restored ${file.path}`)
  await analyzeTables(
    client,
    contents.header.tables.filter(({ name }) => contents.rowCounts[name] !== 0),
  )
}
