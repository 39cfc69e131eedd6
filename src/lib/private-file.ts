/**
 * Files that Belfry keeps in its data folder for itself. Somebody who can write to the folder must not decide which other file is read or
 * changed, or make Belfry wait for a named pipe.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { StartupError } from './startup-error.ts'

// With O_NONBLOCK, opening a named pipe doesn't wait for another process.
const SAFE_FLAGS = constants.O_NONBLOCK | constants.O_NOCTTY

const isRootProcess = () => process.geteuid?.() === 0

/** Opens a file to read it and to append to it. Creates it if it doesn't exist. Never follows a link. */
export function openPrivateFile(path: string): number {
  const fd = openRegularFile(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW)
  // A file with a second hard link may also be in another folder.
  if (fstatSync(fd).nlink <= 1) return fd
  closeSync(fd)
  throw notOwnFileError(path)
}

/**
 * Throws an error with the code ENOENT if there is no file. Root doesn't follow a link, because the link may lead to a
 * file that only root may read.
 */
export function openPrivateFileToRead(path: string): number {
  return openRegularFile(path, constants.O_RDONLY | (isRootProcess() ? constants.O_NOFOLLOW : 0))
}

/** Throws an error with the code ENOENT if there is no file. */
export function readPrivateFile(path: string): string {
  const fd = openPrivateFileToRead(path)
  try {
    return readFileSync(fd, 'utf8')
  } finally {
    closeSync(fd)
  }
}

/** Replaces the file, or what is in its place, so that readers never see a part of it. */
export function replacePrivateFile(path: string, text: string, mode = 0o600): void {
  const temporaryPath = `${path}.new`
  rmSync(temporaryPath, { force: true })
  // `wx` fails if somebody creates the file first.
  const fd = openSync(temporaryPath, 'wx', 0o600)
  try {
    writeFileSync(fd, text)
    // The mode that openSync gets is reduced by the umask.
    fchmodSync(fd, mode)
  } finally {
    closeSync(fd)
  }
  renameSync(temporaryPath, path)
}

/**
 * Throws if this process is root and the path is a link. Other users may use links, for example to a folder on another
 * disk, because a link leads them only to what they can access anyway.
 */
export function requireNoLinkForRoot(path: string): void {
  if (!isRootProcess() || !lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  throw new StartupError(
    `${path} is a link. As root, Belfry doesn't follow links in its data folder.`,
    'Find out who created it, and remove it.',
  )
}

function openRegularFile(path: string, flags: number): number {
  let fd: number
  try {
    fd = openSync(path, flags | SAFE_FLAGS, 0o600)
  } catch (error) {
    const isOtherKind = ['ELOOP', 'EMLINK', 'EISDIR', 'ENXIO'].includes((error as NodeJS.ErrnoException).code ?? '')
    throw isOtherKind ? notOwnFileError(path, error) : error
  }
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notOwnFileError(path)
}

function notOwnFileError(path: string, cause?: unknown): StartupError {
  return new StartupError(
    `${path} is not a file of Belfry, but a link, a folder or something else.`,
    'Find out who created it, and remove it.',
    { cause },
  )
}
