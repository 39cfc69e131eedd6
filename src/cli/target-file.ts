/** A file that appears under its name only when it is whole and on disk. */
import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type FileHandle, link, open, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { Problem } from '../lib/problem.ts'
import { StartupError } from '../lib/startup-error.ts'
import { onInterrupt } from './interrupts.ts'

interface TargetOptions {
  path: string
  /** Replace what is there. */
  force: boolean
}

export async function writeWhole(
  { path, force }: TargetOptions,
  write: (to: Writable) => Promise<void>,
): Promise<void> {
  if (!force && (await exists(path))) throw taken(path)
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.part`)
  const file = await openDraft(draft, path)
  const forget = onInterrupt(() => rm(draft, { force: true }))
  try {
    await write(createWriteStream(draft, { fd: file.fd, autoClose: false }))
    await file.sync()
    await file.close()
    await publish(draft, { path, force })
    await syncFolder(dirname(path))
  } catch (error) {
    throw explainWriting(error, path)
  } finally {
    await file.close().catch(() => {})
    await rm(draft, { force: true })
    forget()
  }
}

/** Only the owner can read it, from its first byte on. */
async function openDraft(draft: string, path: string): Promise<FileHandle> {
  try {
    return await open(draft, 'wx', 0o600)
  } catch (error) {
    throw explainWriting(error, path)
  }
}

/** A link fails where a name exists, so that of two writers one loses instead of overwriting the other. */
async function publish(draft: string, { path, force }: TargetOptions): Promise<void> {
  if (force) return rename(draft, path)
  try {
    await link(draft, path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(path)
    // Some file systems, as on memory sticks, have no links.
    if (await exists(path)) throw taken(path)
    await rename(draft, path)
  }
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

function taken(path: string): Problem {
  return new Problem('conflict', `${path} exists. Choose another name, or add --force to replace it.`)
}

const reasons: Record<string, string> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'what should be its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'its folder is closed to this user',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}

export function explainWriting(error: unknown, path: string): unknown {
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  if (reason === undefined) return error
  return new StartupError(`${path} cannot be written: ${reason}.`, 'Choose another place. Nothing is left there.', {
    cause: error,
  })
}
