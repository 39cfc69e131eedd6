/** Makes sure that no process of an earlier PostgreSQL is at work on the cluster. */

import { closeSync, openSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { StartupError } from '../../lib/startup-error.ts'
import { tryFlock } from './flock.ts'
import type { Layout } from './layout.ts'
import type { Log } from './log.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { findProcessesIn, isProcessIn, signalAll } from './processes.ts'

interface Step {
  signal: NodeJS.Signals
  waitMs: number
}

// A fast shutdown writes a checkpoint; an immediate one only leaves more to replay. Committed data survives all of them.
const ORDERLY: Step[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 6_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
]
// Without their postmaster the others cannot shut down in order.
const HEADLESS: Step[] = [
  { signal: 'SIGQUIT', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
]

// After a clean stop the process that writes the log outlives the others by a few milliseconds.
const LAST_WORDS_MS = 200
// What cannot be seen can only be waited for.
const UNSEEN_WAIT_MS = 1_000

/**
 * Returns a locked descriptor to hand to PostgreSQL: as all its processes inherit it, the lock shows until the last of
 * them is gone, even to a container that cannot see them.
 */
export async function claimCluster(layout: Layout, log: Log): Promise<number> {
  const fd = openSync(layout.clusterLock, 'a+', 0o600)
  try {
    if (!(await isFree(fd, layout))) await stopOrphans(fd, layout, log)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** After a stop: until then somebody is still writing in the folder. */
export async function waitUntilDeserted(layout: Layout): Promise<void> {
  const fd = openSync(layout.clusterLock, 'a+', 0o600)
  try {
    await tryFlock(fd, { waitMs: UNSEEN_WAIT_MS })
  } finally {
    closeSync(fd)
  }
}

async function isFree(fd: number, layout: Layout): Promise<boolean> {
  const waitMs = readPostmasterFile(layout) === undefined ? LAST_WORDS_MS : 0
  return (await tryFlock(fd, { waitMs })) && (await findPostmaster(layout)) === undefined
}

/** Also one that somebody started by hand, without our lock. */
async function findPostmaster(layout: Layout): Promise<number | undefined> {
  const pid = readPostmasterFile(layout)?.pid
  return pid !== undefined && (await isProcessIn(pid, layout.cluster)) ? pid : undefined
}

async function stopOrphans(fd: number, layout: Layout, log: Log): Promise<void> {
  const postmaster = await findPostmaster(layout)
  for (const { signal, waitMs } of postmaster === undefined ? HEADLESS : ORDERLY) {
    const targets =
      postmaster === undefined || signal === 'SIGKILL' ? await findProcessesIn(layout.cluster) : [postmaster]
    if (targets.length > 0) log.warn({ pids: targets, signal }, 'stopping what an earlier PostgreSQL left running')
    signalAll(targets, signal)
    // A half-made cluster is thrown away, so its initdb needs no manners.
    const halfMade = await findProcessesIn(layout.unfinished)
    signalAll(halfMade, 'SIGKILL')
    const isVisible = targets.length + halfMade.length > 0
    if (await isGone(fd, layout, isVisible ? waitMs : UNSEEN_WAIT_MS)) return
  }
  throw new StartupError(
    `A PostgreSQL that cannot be stopped from here is using ${layout.cluster}, perhaps in another container.`,
    'Stop the container or the process that still uses this data folder.',
  )
}

async function isGone(fd: number, layout: Layout, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  if (!(await tryFlock(fd, { waitMs }))) return false
  while ((await findPostmaster(layout)) !== undefined) {
    if (performance.now() > deadline) return false
    await pause(20)
  }
  return true
}
