/** One Belfry per data folder. */

import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { StartupError } from '../../lib/startup-error.ts'
import { hasFlock, tryFlock } from './flock.ts'
import type { Layout } from './layout.ts'

export interface FolderLock {
  release(): void
}

// A killed process shows as alive while the kernel still takes it down.
const DYING_OWNER_MS = 250

/** Held until release() or until this process dies, also by kill -9. */
export async function takeFolderLock(layout: Layout, waitMs: number): Promise<FolderLock> {
  // Appending keeps the holder's pid readable for whoever fails to get the lock.
  const fd = openSync(layout.lock, 'a+', 0o600)
  try {
    if (!(await tryLock(fd, layout, waitMs))) throw inUse(layout)
    ftruncateSync(fd)
    writeHolder(fd)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  let held = true
  return {
    release() {
      if (!held) return
      held = false
      ftruncateSync(fd)
      closeSync(fd)
    },
  }
}

/** Whether a live Belfry holds the folder. Asks for a shared lock for a moment, which a starting Belfry waits out. */
export async function isFolderInUse(layout: Layout): Promise<boolean> {
  if (!existsSync(layout.lock)) return false
  if (!hasFlock) return isAlive(readHolder(layout))
  const fd = openSync(layout.lock, 'r')
  try {
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
  const [pid, host] = readFileSync(layout.lock, 'utf8').trim().split(' ')
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
