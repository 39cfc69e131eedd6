/** One Belfry per data folder. */

import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { StartupError } from '../../lib/startup-error.ts'
import { hasFlock, tryFlock } from './flock.ts'
import type { Layout } from './layout.ts'

export interface FolderLock {
  /** lets others know that the database may be used */
  announceReady(): Promise<void>
  release(): void
}

// A killed process shows as alive while the kernel still takes it down.
const DYING_OWNER_MS = 250
// Another process looks at the lock for a few milliseconds.
const ONLOOKER_MS = 1_000

/** Held until release() or until this process dies, also by kill -9. */
export async function takeFolderLock(layout: Layout, waitMs: number): Promise<FolderLock> {
  // Opened first, so that the kernel closes it first: nobody must seem ready who does not hold the folder.
  const readyFd = openSync(layout.readyLock, 'a+', 0o600)
  // Appending keeps the holder's pid readable for whoever fails to get the lock.
  const fd = openSync(layout.lock, 'a+', 0o600)
  let isHeld = true
  const release = () => {
    if (isHeld) for (const each of [readyFd, fd]) closeSync(each)
    isHeld = false
  }
  try {
    if (!(await tryLock(fd, layout, waitMs))) throw inUse(layout)
    ftruncateSync(fd)
    writeHolder(fd)
  } catch (error) {
    release()
    throw error
  }
  return {
    async announceReady() {
      await tryFlock(readyFd, { waitMs: ONLOOKER_MS })
    },
    release() {
      if (isHeld) ftruncateSync(fd)
      release()
    },
  }
}

/** What a live Belfry does with the folder. */
export async function findFolderUse(layout: Layout): Promise<'starting' | 'ready' | undefined> {
  if (!hasFlock) return existsSync(layout.lock) && isAlive(readHolder(layout)) ? 'ready' : undefined
  if (!(await isLocked(layout.lock))) return undefined
  return (await isLocked(layout.readyLock)) ? 'ready' : 'starting'
}

async function isLocked(path: string): Promise<boolean> {
  if (!existsSync(path)) return false
  const fd = openSync(path, 'r')
  try {
    // Shared, so that two onlookers do not take each other for the owner.
    return !(await tryFlock(fd, { shared: true }))
  } finally {
    closeSync(fd)
  }
}

async function tryLock(fd: number, layout: Layout, waitMs: number): Promise<boolean> {
  if (!hasFlock) return !isAlive(readHolder(layout))
  if (await tryFlock(fd)) return true
  const patienceMs = isAlive(readHolder(layout)) ? Math.min(waitMs, DYING_OWNER_MS) : waitMs
  return patienceMs > 0 && (await tryFlock(fd, { waitMs: patienceMs }))
}

interface Holder {
  pid: number
  host: string
}

function writeHolder(fd: number): void {
  try {
    writeSync(fd, `${process.pid} ${hostname()}\n`)
  } catch {
    // A full disk: the pid only makes a message better.
  }
}

function readHolder(layout: Layout): Holder | undefined {
  const [pid, host] = readFileSync(layout.lock, 'utf8').split(/\s/)
  return pid && host ? { pid: Number(pid), host } : undefined
}

/** A pid of another host or container says nothing here. */
function isAlive(holder: Holder | undefined): boolean {
  if (holder === undefined || holder.host !== hostname()) return false
  try {
    process.kill(holder.pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function inUse(layout: Layout): StartupError {
  const holder = readHolder(layout)
  const who = holder === undefined ? 'Another Belfry' : `Another Belfry (process ${holder.pid} on ${holder.host})`
  return new StartupError(
    `${who} is using the data folder ${layout.dataDir}.`,
    'Stop it first, or give this one its own data folder.',
  )
}
