/** Writes a file that appears under its name only when it is complete and on disk. Removes an incomplete file on Ctrl-C. */
import { rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { createTemporaryPath, type TargetFile, writeCompleteFile } from '../lib/atomic-file.ts'
import { onInterrupt } from './interrupts.ts'

export async function writeAtomically(target: TargetFile, write: (to: Writable) => Promise<void>): Promise<void> {
  const temporaryPath = createTemporaryPath(target.path)
  const removeCleanup = onInterrupt(() => rm(temporaryPath, { force: true }))
  try {
    await writeCompleteFile({ ...target, temporaryPath }, write)
  } finally {
    removeCleanup()
  }
}
