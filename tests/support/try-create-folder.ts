import { mkdirSync } from 'node:fs'

/** Returns false if the folder exists. Of several processes that try at the same time, only one succeeds. */
export function tryCreateFolder(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
