/** The embedded PostgreSQL, for installations without a database server. */

import { closeSync } from 'node:fs'
import { StartupError } from '../../lib/startup-error.ts'
import { acquireSocketAddress, type DatabaseAddress, type SocketAddressHandle } from './address.ts'
import { findBinaries } from './binaries.ts'
import { chooseIdentity } from './choose-identity.ts'
import { claimCluster, waitUntilReleased } from './claim-cluster.ts'
import { checkCluster, ensureCluster } from './cluster.ts'
import { explainFolderError, isSystemError, prepareDataFolder } from './data-folder.ts'
import { acquireFolderLock, type FolderLock } from './folder-lock.ts'
import { type Layout, layoutOf } from './layout.ts'
import { linkLibraries } from './libraries.ts'
import type { Log } from './log.ts'
import { ensureOwnerAndDatabase } from './owner-role.ts'
import { launchPostmaster, type Postmaster, type PostmasterOptions } from './postmaster.ts'
import { explainStartFailure } from './start-failure.ts'
import { supervise } from './supervisor.ts'

export type { DatabaseAddress } from './address.ts'
export { findRunningEmbedded } from './find-running.ts'

export interface EmbeddedOptions {
  dataDir: string
  log: Log
  /** Extra PostgreSQL settings, such as { fsync: 'off' } in tests. */
  settings?: Record<string, string> | undefined
  /** How long to wait for the lock of a server that has just died. Default 1000. */
  lockWaitMs?: number | undefined
  /** How long a fast shutdown may take before an immediate one follows. Default 6000. */
  stopGraceMs?: number | undefined
}

export interface EmbeddedDatabase {
  /**
   * The database `belfry`, owned by the unprivileged role `belfry`. Use the address only in this process and before
   * stop(): if the socket's path is too long, the host is `/proc/self/fd/…`, a descriptor of this process that stop() closes.
   */
  address: DatabaseAddress
  /** Can be called twice. Close the connections first: a fast shutdown drops them. */
  stop(): Promise<void>
}

/** Throws a StartupError for problems that the operator has to fix. If PostgreSQL dies later, the supervisor restarts it. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const layout = layoutOf(options.dataDir)
  try {
    prepareDataFolder(layout)
    const lock = await acquireFolderLock(layout, options.lockWaitMs ?? 1_000)
    try {
      return await startWithLock(layout, options, lock)
    } catch (error) {
      lock.release()
      throw error
    }
  } catch (error) {
    throw isSystemError(error) ? explainFolderError(error, layout) : error
  }
}

async function startWithLock(layout: Layout, options: EmbeddedOptions, lock: FolderLock): Promise<EmbeddedDatabase> {
  const { log, stopGraceMs = 6_000 } = options
  const startedAt = performance.now()
  const { postmasterOptions, postmaster } = await prepareAndLaunch(layout, options)
  const { address, close } = await prepareDatabase(layout, lock, postmaster, stopGraceMs)
  log.info(
    {
      version: postmasterOptions.binaries.version,
      pid: postmaster.pid,
      as: postmasterOptions.identity.kind,
      ms: Math.round(performance.now() - startedAt),
    },
    'PostgreSQL is ready',
  )
  const launch = (signal: AbortSignal) => relaunch(postmasterOptions, signal)
  const supervisor = supervise({ postmaster, launch, graceMs: stopGraceMs, log })
  const stopAll = async () => {
    try {
      await supervisor.stop()
      await waitUntilReleased(layout)
    } finally {
      close()
      lock.release()
    }
  }
  let stopPromise: Promise<void> | undefined
  return {
    address,
    stop() {
      stopPromise ??= stopAll()
      return stopPromise
    },
  }
}

async function prepareAndLaunch(layout: Layout, { log, settings = {} }: EmbeddedOptions) {
  const binaries = findBinaries()
  checkCluster(layout, binaries)
  const clusterFd = await claimCluster(layout, log)
  try {
    const libraryPath = linkLibraries(binaries.packageDir, layout.libraryLinks)
    const identity = await chooseIdentity({ layout, binaries, libraryPath })
    const shouldSync = settings['fsync'] !== 'off'
    const isNew = await ensureCluster({ layout, binaries, identity, libraryPath, clusterFd, shouldSync })
    if (isNew) log.info({ folder: layout.cluster }, 'created a new database')
    const postmasterOptions: PostmasterOptions = { layout, binaries, identity, libraryPath, settings, log }
    return { postmasterOptions, postmaster: await launchPostmaster(postmasterOptions, clusterFd) }
  } finally {
    // PostgreSQL's processes inherited this descriptor and its lock. Close our copy, so that the lock ends when they exit.
    closeSync(clusterFd)
  }
}

async function prepareDatabase(
  layout: Layout,
  lock: FolderLock,
  postmaster: Postmaster,
  graceMs: number,
): Promise<SocketAddressHandle> {
  let addressHandle: SocketAddressHandle | undefined
  try {
    addressHandle = acquireSocketAddress(layout)
    await ensureOwnerAndDatabase(addressHandle.address)
    await lock.announceReady()
    return addressHandle
  } catch (error) {
    addressHandle?.close()
    await postmaster.stop(graceMs)
    if (error instanceof StartupError) throw error
    throw explainStartFailure('PostgreSQL is running, but its database could not be prepared', String(error), layout)
  }
}

async function relaunch(postmasterOptions: PostmasterOptions, signal: AbortSignal): Promise<Postmaster> {
  const clusterFd = await claimCluster(postmasterOptions.layout, postmasterOptions.log)
  try {
    return await launchPostmaster(postmasterOptions, clusterFd, signal)
  } finally {
    closeSync(clusterFd)
  }
}
