/** Writes a file that appears under its name only when it is complete and on disk. */
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { Problem } from './problem.ts'
import { StartupError } from './startup-error.ts'

export interface TargetFile {
  path: string
  /** Whether to overwrite an existing file. */
  force: boolean
}

/** The name ends with `.part`, and begins with a dot and the file's own name. */
export function createTemporaryPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.part`)
}

interface TemporaryFile extends TargetFile {
  temporaryPath: string
}

export async function writeCompleteFile(target: TemporaryFile, write: (to: Writable) => Promise<void>): Promise<void> {
  const file = await openTemporaryFile(target)
  try {
    await completeFile(file, target, write, () => moveIntoPlace(target.temporaryPath, target))
  } finally {
    await file.close().catch(() => {})
    await removeTemporaryFile(target.temporaryPath)
  }
}

/** Creates the file so that only its owner can ever read it. */
export async function openTemporaryFile({ path, force, temporaryPath }: TemporaryFile): Promise<FileHandle> {
  if (!force && (await exists(path))) throw alreadyExistsProblem(path)
  try {
    return await open(temporaryPath, 'wx', 0o600)
  } catch (error) {
    throw explainWriteError(error, path)
  }
}

export async function completeFile(
  file: FileHandle,
  { path, temporaryPath }: TemporaryFile,
  write: (to: Writable) => Promise<void>,
  moveToPath: () => Promise<void>,
): Promise<void> {
  try {
    await write(createWriteStream(temporaryPath, { fd: file.fd, autoClose: false }))
    await file.sync()
    await file.close()
    await moveToPath()
  } catch (error) {
    throw explainWriteError(error, path)
  }
}

export const removeTemporaryFile = (temporaryPath: string) => rm(temporaryPath, { force: true })

/** link() fails if the name exists, so one of two concurrent writers fails instead of overwriting the other's file. */
async function linkOrRename(temporaryPath: string, { path, force }: TargetFile): Promise<void> {
  if (force) return rename(temporaryPath, path)
  try {
    await link(temporaryPath, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw alreadyExistsProblem(path)
    // File systems without hard links, such as those of USB sticks, need rename(). It overwrites an existing file, so
    // look first.
    if (await exists(path)) throw alreadyExistsProblem(path)
    await rename(temporaryPath, path)
  }
}

export async function moveIntoPlace(temporaryPath: string, target: TargetFile): Promise<void> {
  await linkOrRename(temporaryPath, target)
  await syncFolder(dirname(target.path))
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined
}

export function alreadyExistsProblem(path: string): Problem {
  return new Problem('conflict', `${path} already exists. Choose another name, or add --force to overwrite it.`)
}

const reasonsByErrorCode: Record<string, string> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'this user has no access to its folder',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
}

export function explainWriteError(error: unknown, path: string): unknown {
  const reason = reasonsByErrorCode[(error as NodeJS.ErrnoException).code ?? '']
  if (reason === undefined) return error
  return new StartupError(`Can't write ${path}: ${reason}.`, 'Choose another path. No partial file was left.', {
    cause: error,
  })
}
