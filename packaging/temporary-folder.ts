import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blockIfInterrupted, onInterrupt } from '../src/cli/common/interrupts.ts'

/** Gives `work` an empty folder, which is removed afterwards, even on Ctrl-C. `prefix` is the start of its name. */
export async function withTemporaryFolder<T>(prefix: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  const remove = () => rm(folder, { recursive: true, force: true })
  const removeCleanup = onInterrupt(remove)
  try {
    return await work(folder)
  } finally {
    // After Ctrl-C, the cleanup above removes the folder at the same time, so this call may fail. That error is not reported.
    await remove().finally(blockIfInterrupted)
    removeCleanup()
  }
}
