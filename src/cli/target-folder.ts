/** Writes a folder that appears under its name only when its contents are complete and on disk. */
import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { onInterrupt } from './interrupts.ts'
import { explainWriteError, syncFolder } from './target-file.ts'

export async function writeFolderAtomically(path: string, write: (folder: string) => Promise<void>): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    throw new Problem('conflict', `${path} already exists. Choose another name.`)
  }
  const temporaryPath = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.part`)
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
