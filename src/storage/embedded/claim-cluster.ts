/** Makes sure that no process of an earlier PostgreSQL still uses the cluster. */

import { closeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { openPrivateFile } from '../../lib/private-file.ts'
import { StartupError } from '../../lib/startup-error.ts'
import { tryFlock } from './flock.ts'
import type { Layout } from './layout.ts'
import type { Log } from './log.ts'
import { readPostmasterFile } from './postmaster-file.ts'
import { findProcessesIn, isProcessIn, signalAll } from './processes.ts'

interface StopStep {
  signal: NodeJS.Signals
  waitMs: number
}

// SIGINT is a fast shutdown, which writes a checkpoint. SIGQUIT is an immediate one, which leaves more WAL to replay.
// Committed data survives both, and SIGKILL, too.
const STOP_STEPS_IF_POSTMASTER_RUNS: StopStep[] = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 6_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
]
// Without a postmaster the remaining processes can't shut down cleanly.
const STOP_STEPS_WITHOUT_POSTMASTER: StopStep[] = [
  { signal: 'SIGQUIT', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 2_000 },
]

// After a clean stop the logging process outlives the others by a few milliseconds.
const LOGGER_EXIT_WAIT_MS = 200
// Processes in another container are invisible, so all we can do is wait for them.
const INVISIBLE_PROCESS_WAIT_MS = 1_000

/**
 * Returns a locked file descriptor for PostgreSQL. All its processes inherit it, so the lock lasts until the last of them
 * exits, and is visible even in a container that can't see the processes.
 */
export async function claimCluster(layout: Layout, log: Log): Promise<number> {
  const fd = openPrivateFile(layout.clusterLock)
  try {
    if (!(await tryClaim(fd, layout))) await stopOrphans(fd, layout, log)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** After a stop, waits until no process of PostgreSQL uses the folder. */
export async function waitUntilReleased(layout: Layout): Promise<void> {
  const fd = openPrivateFile(layout.clusterLock)
  try {
    await tryFlock(fd, { waitMs: INVISIBLE_PROCESS_WAIT_MS })
  } finally {
    closeSync(fd)
  }
}

/** Returns true if it has locked the cluster, and no postmaster runs without our lock. */
async function tryClaim(fd: number, layout: Layout): Promise<boolean> {
  const waitMs = readPostmasterFile(layout) === undefined ? LOGGER_EXIT_WAIT_MS : 0
  return (await tryFlock(fd, { waitMs })) && (await findPostmasterPid(layout)) === undefined
}

/** Reads PostgreSQL's pid file, and so also finds a postmaster that was started manually, without our lock. */
async function findPostmasterPid(layout: Layout): Promise<number | undefined> {
  const pid = readPostmasterFile(layout)?.pid
  return pid !== undefined && (await isProcessIn(pid, layout.cluster)) ? pid : undefined
}

async function stopOrphans(fd: number, layout: Layout, log: Log): Promise<void> {
  const postmasterPid = await findPostmasterPid(layout)
  for (const { signal, waitMs } of postmasterPid === undefined
    ? STOP_STEPS_WITHOUT_POSTMASTER
    : STOP_STEPS_IF_POSTMASTER_RUNS) {
    const orphanPids =
      postmasterPid === undefined || signal === 'SIGKILL' ? await findProcessesIn(layout.cluster) : [postmasterPid]
    if (orphanPids.length > 0) log.warn({ pids: orphanPids, signal }, 'stopping processes of an earlier PostgreSQL')
    signalAll(orphanPids, signal)
    // An unfinished cluster is discarded anyway, so its initdb can be killed.
    const initdbPids = await findProcessesIn(layout.unfinishedCluster)
    signalAll(initdbPids, 'SIGKILL')
    const isVisible = orphanPids.length + initdbPids.length > 0
    if (await waitForClaim(fd, layout, isVisible ? waitMs : INVISIBLE_PROCESS_WAIT_MS)) return
  }
  throw new StartupError(
    `Another PostgreSQL is using ${layout.cluster} and can't be stopped from here. It may run in another container.`,
    'Stop the container or the process that still uses this data folder.',
  )
}

async function waitForClaim(fd: number, layout: Layout, waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  if (!(await tryFlock(fd, { waitMs }))) return false
  while ((await findPostmasterPid(layout)) !== undefined) {
    if (performance.now() > deadline) return false
    await delay(20)
  }
  return true
}
