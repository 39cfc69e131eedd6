/** Creates data folders of the embedded database as copies of one, because initdb takes a second of processor time. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { createLog } from '../../src/lib/log.ts'
import { startEmbedded } from '../../src/storage/embedded/embedded.ts'

/** Copies a folder, for example a data folder whose database is stopped. Unlike fs.cp, this keeps the owner of the files. */
export function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The folder ${from} could not be copied: ${stderr}`)
}

/** Creates a data folder with the state after the first start: the role and the database exist, but no tables. */
export async function createDataFolder(path: string): Promise<void> {
  const runFolder = inject('runFolder')
  const original = join(runFolder, 'new-data')
  if (!existsSync(original)) await createOriginal(runFolder, original)
  copyFolder(original, path)
}

async function createOriginal(runFolder: string, path: string): Promise<void> {
  const folder = mkdtempSync(join(runFolder, 'new-'))
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  const log = createLog('warn', process.stderr)
  await (await startEmbedded({ dataDir, log, settings: { fsync: 'off' } })).stop()
  try {
    renameSync(dataDir, path)
  } catch (error) {
    // Another worker may have created the original in the meantime.
    if (!existsSync(path)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
