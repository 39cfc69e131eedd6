import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { requireNoLinkForRoot } from '../../lib/private-file.ts'
import { findOwnerToSwitchTo, isShared } from '../../lib/privileges.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { getCurrentIds, getOwnerFor, type Identity, isRoot, type UserIds } from './identity.ts'
import type { Layout } from './layout.ts'

export function prepareDataFolder({ dataDir }: Layout): void {
  // Check access first, because a recursive mkdir on a read-only file system fails with ENOENT.
  if (!existsSync(dataDir)) accessSync(findNearestExistingFolder(dataDir), constants.W_OK)
  const createdPath = mkdirSync(dataDir, { recursive: true })
  // If root runs Belfry, PostgreSQL runs as another user, who must be able to traverse this folder. Everything inside has its own permissions.
  if (createdPath !== undefined) chmodSync(dataDir, isRoot() ? 0o711 : 0o700)
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  if (isRoot()) requireFolderOfRoot(dataDir)
}

/** A user who can write to the folder can plant links that lead root to any file. */
function requireFolderOfRoot(dataDir: string): void {
  const stats = statSync(dataDir)
  const { uid } = stats
  if (uid !== 0) {
    throw new StartupError(
      `The data folder ${dataDir} belongs to user ${uid}, so root can't use it safely.`,
      'Run Belfry as that user.',
    )
  }
  if (isShared(stats)) {
    throw new StartupError(
      `Other users can write to the data folder ${dataDir}, so root can't use it safely.`,
      `Run \`chmod go-w ${dataDir}\`, and look for files in it that are not Belfry's.`,
    )
  }
  // This throws if others can replace the folder. They may have done so since the command started.
  findOwnerToSwitchTo(dataDir)
}

function findNearestExistingFolder(path: string): string {
  return existsSync(path) ? path : findNearestExistingFolder(dirname(path))
}

/** Creates a folder that only `identity` and root can enter. */
export function makePrivateFolder(path: string, identity: Identity): void {
  requireNoLinkForRoot(path)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const fd = openFolder(path)
  try {
    const { uid } = fstatSync(fd)
    const owner = getOwnerFor(identity)
    // If the folder already has the right owner, files of other users in it keep their owners: only the owner of the
    // folder could have put them there.
    if (isRoot() && uid !== owner.uid) changeOwner(fd, uid, owner)
    fchmodSync(fd, 0o700)
  } finally {
    closeSync(fd)
  }
}

export function openFolder(path: string): number {
  return openSync(path, FOLDER_FLAGS | (isRoot() ? constants.O_NOFOLLOW : 0))
}

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY
// With O_NONBLOCK, a named pipe without a writer doesn't block.
const ENTRY_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY
/**
 * Opening a link, a socket or an entry that was just deleted fails with one of these errors. Such entries need no new
 * owner.
 */
const SKIPPED_ERRORS: readonly string[] = ['ELOOP', 'EMLINK', 'ENXIO', 'ENOENT']

/**
 * Changes the owner of an open file, or of a folder and its contents. The folder itself comes last, so its owner shows whether the
 * change was completed.
 *
 * The previous owner may replace folders with links while this runs. So every entry is opened once, below its open folder, and never
 * found by its path again. Files of other users keep their owners. So do files with several hard links, because one of the links
 * may be outside the folder.
 */
export function changeOwner(fd: number, previousUid: number, { uid, gid }: UserIds): void {
  const stats = fstatSync(fd)
  if (stats.isDirectory()) {
    const folder = getPathOf(fd)
    for (const name of readdirSync(folder)) {
      const entryFd = openEntry(`${folder}/${name}`)
      if (entryFd === undefined) continue
      try {
        changeOwner(entryFd, previousUid, { uid, gid })
      } finally {
        closeSync(entryFd)
      }
    }
  }
  if (stats.uid === previousUid && (stats.isDirectory() || stats.nlink === 1)) fchownSync(fd, uid, gid)
}

function getPathOf(fd: number): string {
  if (process.platform === 'linux') return `/proc/self/fd/${fd}`
  throw new StartupError(
    'Belfry can change the owner of the database only on Linux.',
    'Run Belfry as the user who owns the data folder, or change the owner of the folder (chown -R).',
  )
}

function openEntry(path: string): number | undefined {
  try {
    return openSync(path, ENTRY_FLAGS)
  } catch (error) {
    if (SKIPPED_ERRORS.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw error
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
