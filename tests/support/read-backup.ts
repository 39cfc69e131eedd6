import { BackupFile } from '../../src/cli/backup-file.ts'

/** Streams the decompressed text of a backup. */
export async function* readBackup(path: string): AsyncGenerator<Buffer> {
  const file = await BackupFile.open(path)
  try {
    yield* file.read()
  } finally {
    await file.close()
  }
}
