import { accessSync, chmodSync, chownSync, constants, existsSync, lchownSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { StartupError } from '../../lib/startup-error.ts'
import { currentIds, type Identity, isRoot, ownerFor } from './identity.ts'
import type { Layout } from './layout.ts'

export function prepareDataFolder({ dataDir }: Layout): void {
  // Asked first, as a recursive mkdir on a read-only file system says ENOENT.
  if (!existsSync(dataDir)) accessSync(nearestFolder(dataDir), constants.W_OK)
  const made = mkdirSync(dataDir, { recursive: true })
  // As root, PostgreSQL becomes another user, who has to pass through; everything inside is closed by itself.
  if (made !== undefined) chmodSync(dataDir, isRoot() ? 0o711 : 0o700)
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

/** A folder that only `identity` can enter (and root). */
export function makePrivateFolder(path: string, identity: Identity): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (isRoot()) giveTo(path, identity)
  chmodSync(path, 0o700)
}

/** Changes the owner of a whole folder, the folder itself last: until then it shows that the work is not done. */
export function giveTo(path: string, identity: Identity): void {
  const { uid, gid } = ownerFor(identity)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) giveTo(child, identity)
    else lchownSync(child, uid, gid)
  }
  chownSync(path, uid, gid)
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** What an error of the file system means to the operator. */
export function explainFolderError(error: NodeJS.ErrnoException, { dataDir }: Layout): StartupError {
  const at = error.path !== undefined && error.path !== dataDir ? ` (${error.path})` : ''
  switch (error.code) {
    case 'EROFS':
      return new StartupError(
        `The data folder ${dataDir} is on a read-only file system${at}.`,
        'Mount it writable, or choose another data folder.',
        { cause: error },
      )
    case 'EACCES':
    case 'EPERM':
      return new StartupError(
        `The data folder ${dataDir} is not open to user ${currentIds().uid}, who runs Belfry${at}.`,
        'Give the folder to that user (chown -R), or choose another data folder.',
        { cause: error },
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartupError(
        `The data folder ${dataDir} cannot be made: a file is in its place${at}.`,
        'Move that file away, or choose another data folder.',
        { cause: error },
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFull(dataDir, { cause: error })
    default:
      return new StartupError(
        `The data folder ${dataDir} cannot be used: ${error.message}`,
        'Choose another data folder, or set DATABASE_URL to a PostgreSQL server.',
        { cause: error },
      )
  }
}

export function diskFull(dataDir: string, options?: ErrorOptions): StartupError {
  return new StartupError(
    `No space left on the disk of the data folder ${dataDir}.`,
    'Free some space (a new database needs about 100 MB) and start again; nothing was lost.',
    options,
  )
}
