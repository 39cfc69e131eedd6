/** Folders that several test files need. The first test file that needs one creates it, while the others wait. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'

const POLL_MS = 200

/** Returns the path of the folder. Nobody may change what it contains. `create` gets a path that doesn't exist yet. */
export async function shareFolder(name: string, create: (path: string) => Promise<void>): Promise<string> {
  const path = join(inject('sharedFolder'), name)
  if (claim(`${path}.claimed`)) {
    try {
      await create(`${path}.part`)
    } catch (error) {
      writeFileSync(`${path}.failed`, String(error))
      throw error
    }
    renameSync(`${path}.part`, path)
  }
  while (!existsSync(path)) {
    if (existsSync(`${path}.failed`)) throw new Error(`Another test file could not create ${path}.`)
    await delay(POLL_MS)
  }
  return path
}

/** Returns false if another test file has claimed the folder already. */
function claim(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
