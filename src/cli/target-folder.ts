/** Writes a folder that appears under its name only when its contents are complete and on disk. */
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createTemporaryPath, explainWriteError, syncFolder } from '../lib/atomic-file.ts'
import { Problem } from '../lib/problem.ts'
import { onInterrupt } from './interrupts.ts'

export async function writeFolderAtomically(path: string, write: (folder: string) => Promise<void>): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    throw new Problem('conflict', `${path} already exists. Choose another name.`)
  }
  const temporaryPath = createTemporaryPath(path)
  const removeCleanup = onInterrupt(() => rm(temporaryPath, { recursive: true, force: true }))
  try {
    await mkdir(temporaryPath, { mode: 0o700 })
    await write(temporaryPath)
    await syncFolder(temporaryPath)
    await rename(temporaryPath, path)
    await syncFolder(dirname(path))
  } catch (error) {
    throw explainWriteError(error, path)
  } finally {
    await rm(temporaryPath, { recursive: true, force: true })
    removeCleanup()
  }
}
