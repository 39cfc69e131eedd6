/** Folders that several test files need. The first test file that needs one creates it, while the others wait. */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'
import { tryCreateFolder } from '../../support/try-create-folder.ts'

const POLL_MS = 200

/** Returns the path of the folder. Nobody may change what it contains. `create` gets a path that doesn't exist yet. */
export async function shareFolder(name: string, create: (path: string) => Promise<void>): Promise<string> {
  const path = join(inject('sharedFolder'), name)
  if (tryCreateFolder(`${path}.claimed`)) {
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
