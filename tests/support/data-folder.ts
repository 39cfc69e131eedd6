/** Creates data folders of PostgreSQL by copying one, because initdb takes a second of processor time. */
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
export function createDataFolder(path: string): Promise<void> {
  return copyOriginal('new-data', path, async (dataDir) => {
    const log = createLog('warn', process.stderr)
    await (await startEmbedded({ dataDir, log, settings: { fsync: 'off' } })).stop()
  })
}

const originals = new Map<string, Promise<string>>()

/** Copies the folder `name`, which all workers of this run share, to `path`. The first worker that needs it calls `create`. */
export async function copyOriginal(name: string, path: string, create: (path: string) => Promise<void>): Promise<void> {
  const original = originals.get(name) ?? provideOriginal(name, create)
  originals.set(name, original)
  copyFolder(await original, path)
}

async function provideOriginal(name: string, create: (path: string) => Promise<void>): Promise<string> {
  const runFolder = inject('runFolder')
  const path = join(runFolder, name)
  if (existsSync(path)) return path
  const folder = mkdtempSync(join(runFolder, 'new-'))
  chmodSync(folder, 0o711)
  try {
    await create(join(folder, name))
    renameSync(join(folder, name), path)
  } catch (error) {
    // Another worker may have created the original in the meantime.
    if (!existsSync(path)) throw error
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return path
}
