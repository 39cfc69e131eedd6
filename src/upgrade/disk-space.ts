/** Checks whether the disk has enough space for an automatic backup. */
import type { ClientBase } from 'pg'
import { formatBytes } from '../lib/format.ts'
import { readFreeDiskBytes } from '../nodes/disk-space.ts'
import { readDatabaseBytes } from './store.ts'

/**
 * With one million events of sample data, the rows took a fifth of the database's size as text, and 4 % compressed. Real data may
 * compress less well, so expect the uncompressed size.
 */
const BACKUP_SHARE = 0.2
/** PostgreSQL stops when its disk is full, and the migration needs some space, too. */
const RESERVED_BYTES = 100e6

export interface BackupDiskSpace {
  freeBytes: number
  neededBytes: number
}

export async function readBackupDiskSpace(client: ClientBase, dataDir: string): Promise<BackupDiskSpace> {
  return {
    freeBytes: await readFreeDiskBytes(dataDir),
    neededBytes: Math.round(BACKUP_SHARE * (await readDatabaseBytes(client))) + RESERVED_BYTES,
  }
}

export const lacksSpaceForBackup = ({ freeBytes, neededBytes }: BackupDiskSpace) => freeBytes < neededBytes

export const formatBackupDiskSpace = (dataDir: string, { freeBytes, neededBytes }: BackupDiskSpace) =>
  `The automatic backup may need ${formatBytes(neededBytes)}, and the disk of ${dataDir} has ${formatBytes(freeBytes)} free.`
