/** Allows one server per data folder. */

import { closeSync, existsSync, ftruncateSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { openPrivateFile, openPrivateFileToRead, readPrivateFile } from '../../lib/private-file.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { hasFlock, tryFlock } from './flock.ts'
import type { Layout } from './layout.ts'

export interface FolderLock {
  /** Tells other processes that the database accepts connections. */
  announceReady(): Promise<void>
  release(): void
}

// A killed process looks alive until the kernel has cleaned it up.
const KILLED_HOLDER_WAIT_MS = 250
// Another process may hold a shared lock for a few milliseconds, to see whether the folder is in use.
const READER_WAIT_MS = 1_000

/** Holds the lock until release() or until this process ends, even by SIGKILL. */
export async function acquireFolderLock(layout: Layout, waitMs: number): Promise<FolderLock> {
  // The kernel closes descriptors in the order they were opened, so a dying server stops looking ready before it releases the folder.
  const readyFd = openPrivateFile(layout.readyLock)
  // The file is opened in append mode, which doesn't truncate it. So a process that fails to get the lock can read the
  // holder's pid.
  const fd = openOrClose(layout.lock, readyFd)
  let isHeld = true
  const release = () => {
    if (isHeld) for (const descriptor of [readyFd, fd]) closeSync(descriptor)
    isHeld = false
  }
  try {
    if (!(await tryLock(fd, layout, waitMs))) throw folderInUseError(layout)
    ftruncateSync(fd)
    writeHolder(fd)
  } catch (error) {
    release()
    throw error
  }
  return {
    async announceReady() {
      await tryFlock(readyFd, { waitMs: READER_WAIT_MS })
    },
    release() {
      if (isHeld) ftruncateSync(fd)
      release()
    },
  }
}

/** Closes `otherFd` if the file can't be opened. */
function openOrClose(path: string, otherFd: number): number {
  try {
    return openPrivateFile(path)
  } catch (error) {
    closeSync(otherFd)
    throw error
  }
}

/** Whether a running server uses the folder, and whether its database is ready. */
export async function findFolderUse(layout: Layout): Promise<'starting' | 'ready' | undefined> {
  if (!hasFlock) return existsSync(layout.lock) && isAlive(readHolder(layout)) ? 'ready' : undefined
  if (!(await isLocked(layout.lock))) return undefined
  return (await isLocked(layout.readyLock)) ? 'ready' : 'starting'
}

async function isLocked(path: string): Promise<boolean> {
  if (!existsSync(path)) return false
  const fd = openPrivateFileToRead(path)
  try {
    // The lock is shared, so that two readers don't mistake each other for a running server.
    return !(await tryFlock(fd, { isShared: true }))
  } finally {
    closeSync(fd)
  }
}

async function tryLock(fd: number, layout: Layout, waitMs: number): Promise<boolean> {
  if (!hasFlock) return !isAlive(readHolder(layout))
  if (await tryFlock(fd)) return true
  const timeoutMs = isAlive(readHolder(layout)) ? Math.min(waitMs, KILLED_HOLDER_WAIT_MS) : waitMs
  return timeoutMs > 0 && (await tryFlock(fd, { waitMs: timeoutMs }))
}

interface Holder {
  pid: number
  host: string
}

function writeHolder(fd: number): void {
  try {
    writeSync(fd, `${process.pid} ${hostname()}\n`)
  } catch {
    // The disk is full. The pid only improves an error message.
  }
}

function readHolder(layout: Layout): Holder | undefined {
  const [pid, host] = readPrivateFile(layout.lock).split(/\s/)
  return pid && host ? { pid: Number(pid), host } : undefined
}

/** A pid is only meaningful on the host or container that wrote it. */
function isAlive(holder: Holder | undefined): boolean {
  if (holder === undefined || holder.host !== hostname()) return false
  try {
    process.kill(holder.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function folderInUseError(layout: Layout): StartupError {
  const holder = readHolder(layout)
  const serverText =
    holder === undefined ? 'Another Belfry server' : `Another Belfry server (process ${holder.pid} on ${holder.host})`
  return new StartupError(
    `${serverText} is using the data folder ${layout.dataDir}.`,
    'Stop it first, or use another data folder.',
  )
}
