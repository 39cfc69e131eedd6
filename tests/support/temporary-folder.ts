/** Chooses the folder for test databases: in memory, if the machine has enough free memory. */
import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const MEMORY_FOLDER = '/dev/shm'
/** A whole run needs less than half of this. */
const MIN_FREE_BYTES = 2 * 1024 ** 3

function hasFreeMemory(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

/** Creating and dropping a database means creating and deleting 300 files, which takes five times as long on a disk. */
export const databaseFolder = hasFreeMemory() ? MEMORY_FOLDER : tmpdir()
