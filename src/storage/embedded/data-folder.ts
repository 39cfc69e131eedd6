import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StartupError } from '../../lib/startup-error.ts'
import { getCurrentIds, getOwnerFor, type Identity, isRoot } from './identity.ts'
import type { Layout } from './layout.ts'

export function prepareDataFolder({ dataDir }: Layout): void {
  // Check access first, because a recursive mkdir on a read-only file system fails with ENOENT.
  if (!existsSync(dataDir)) accessSync(findNearestExistingFolder(dataDir), constants.W_OK)
  const createdPath = mkdirSync(dataDir, { recursive: true })
  // If root runs Belfry, PostgreSQL runs as another user, who must be able to traverse this folder. Everything inside has its own permissions.
  if (createdPath !== undefined) chmodSync(dataDir, isRoot() ? 0o711 : 0o700)
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
}

function findNearestExistingFolder(path: string): string {
  return existsSync(path) ? path : findNearestExistingFolder(dirname(path))
}

/** Creates a folder that only `identity` and root can enter. */
export function makePrivateFolder(path: string, identity: Identity): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (isRoot()) chownTree(path, identity)
  chmodSync(path, 0o700)
}

/** Changes the owner of a folder and its contents. The folder itself comes last, so its owner shows whether the change was completed. */
export function chownTree(path: string, identity: Identity): void {
  const { uid, gid } = getOwnerFor(identity)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name)
    if (entry.isDirectory()) chownTree(child, identity)
    else lchownSync(child, uid, gid)
  }
  chownSync(path, uid, gid)
}

/** Gives files that root created to the owner of the data folder: root may run a command for a server that runs as that user. */
export function returnFilesToOwner({ dataDir }: Layout): void {
  const { uid, gid } = statSync(dataDir)
  if (!isRoot() || uid === 0) return
  for (const name of readdirSync(dataDir)) {
    const path = join(dataDir, name)
    if (lstatSync(path).uid === 0) lchownSync(path, uid, gid)
  }
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Turns a file system error into advice for the operator. */
export function explainFolderError(error: NodeJS.ErrnoException, { dataDir }: Layout): StartupError {
  const location = error.path !== undefined && error.path !== dataDir ? ` (${error.path})` : ''
  switch (error.code) {
    case 'EROFS':
      return new StartupError(
        `The data folder ${dataDir} is on a read-only file system${location}.`,
        'Mount it writable, or choose another data folder.',
        { cause: error },
      )
    case 'EACCES':
    case 'EPERM':
      return new StartupError(
        `The data folder ${dataDir} is not accessible to user ${getCurrentIds().uid}, who runs Belfry${location}.`,
        'Make that user the owner (chown -R), or choose another data folder.',
        { cause: error },
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return new StartupError(
        `The data folder ${dataDir} can't be created because a file has the same path${location}.`,
        'Move that file, or choose another data folder.',
        { cause: error },
      )
    case 'ENOSPC':
    case 'EDQUOT':
      return diskFullError(dataDir, { cause: error })
    default:
      return new StartupError(
        `The data folder ${dataDir} can't be used: ${error.message}`,
        'Choose another data folder, or set DATABASE_URL to a PostgreSQL server.',
        { cause: error },
      )
  }
}

export function diskFullError(dataDir: string, options?: ErrorOptions): StartupError {
  return new StartupError(
    `No space left on the disk of the data folder ${dataDir}.`,
    'Free some space (a new database needs about 100 MB) and start again. No data was lost.',
    options,
  )
}
