/** Records in the data folder which version of Belfry used it last, so that a rollback can say which version to install again. */
import { join } from 'node:path'
import { readPrivateFile, replacePrivateFile } from '../lib/private-file.ts'

const recordPath = (dataDir: string) => join(dataDir, 'belfry.version')

/** Returns undefined if the folder has no record, because no server has used it yet. */
export async function findRecordedVersion(dataDir: string): Promise<string | undefined> {
  try {
    const text = readPrivateFile(recordPath(dataDir)).trim()
    return /^\d[\w.+-]*$/.test(text) ? text : undefined
  } catch {
    return undefined
  }
}

export async function recordVersion(dataDir: string, version: string): Promise<void> {
  if ((await findRecordedVersion(dataDir)) === version) return
  try {
    replacePrivateFile(recordPath(dataDir), `${version}\n`)
  } catch {
    // A full disk must not keep the server from starting. Without the record, a rollback can't name the version.
  }
}
