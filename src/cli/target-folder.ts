/** A folder that appears under its name only when everything in it is whole and on disk. */
import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { onInterrupt } from './interrupts.ts'
import { explainWriting, syncFolder } from './target-file.ts'

export async function writeWholeFolder(path: string, write: (folder: string) => Promise<void>): Promise<void> {
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    throw new Problem('conflict', `${path} exists. Choose another name.`)
  }
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.part`)
  const forget = onInterrupt(() => rm(draft, { recursive: true, force: true }))
  try {
    await mkdir(draft, { mode: 0o700 })
    await write(draft)
    await syncFolder(draft)
    await rename(draft, path)
    await syncFolder(dirname(path))
  } catch (error) {
    throw explainWriting(error, path)
  } finally {
    await rm(draft, { recursive: true, force: true })
    forget()
  }
}
