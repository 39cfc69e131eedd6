/** Records in the data folder which version of Belfry used it last, so that a rollback can say which version to install again. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chownToOwnerOf } from '../lib/file-owner.ts'

const recordPath = (dataDir: string) => join(dataDir, 'belfry.version')

/** Returns undefined if the folder has no record, because an early version of Belfry used it last. */
export async function findRecordedVersion(dataDir: string): Promise<string | undefined> {
  const text = await readFile(recordPath(dataDir), 'utf8').catch(() => '')
  return /^\d[\w.+-]*$/.test(text.trim()) ? text.trim() : undefined
}

export async function recordVersion(dataDir: string, version: string): Promise<void> {
  if ((await findRecordedVersion(dataDir)) === version) return
  try {
    await writeFile(recordPath(dataDir), `${version}\n`, { mode: 0o600 })
    await chownToOwnerOf(dataDir, recordPath(dataDir))
  } catch {
    // A full disk must not keep the server from starting. Without the record, a rollback can't name the version.
  }
}
