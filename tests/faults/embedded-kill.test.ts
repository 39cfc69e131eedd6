/** Whichever process is killed, the next start has all committed data. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findRunningEmbedded } from '../../src/storage/embedded/embedded.ts'
import { type Layout, layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import {
  createRecordingLog,
  createTestFolder,
  isRowStored,
  killProcess,
  killProcessesAfterTest,
  LONG_PATH,
  queryEmbedded,
  readPostmasterPid,
  spawnOwner,
  startForTest,
  startOwner,
  storeRow,
  useSharedDataDir,
  WAIT_OPTIONS,
} from '../support/embedded.ts'
import { isFaultsRun } from '../support/faults-run.ts'

const sharedDataDir = useSharedDataDir()
/** The command `flock` is part of util-linux, and some container images lack it. */
const hasFlock = spawnSync('flock', ['--version']).status === 0

describe('after a kill', () => {
  it('of a server or command, its PostgreSQL stops by itself', async () => {
    const dataDir = sharedDataDir()
    const owner = await startOwner(dataDir)
    await killProcess(owner)
    const { cluster, postmasterPidFile } = layoutOf(dataDir)
    await vi.waitFor(async () => expect(await findProcessesIn(cluster)).toEqual([]), WAIT_OPTIONS)
    // PostgreSQL removes this file when it shuts down, so PostgreSQL was not killed.
    expect(existsSync(postmasterPidFile)).toBe(false)
  })

  it('of the server and its helper, the command line ignores the orphaned PostgreSQL, and the next start stops it and keeps its data', async () => {
    const dataDir = sharedDataDir()
    const owner = await startOwner(dataDir)
    const id = await storeRow(dataDir)
    const orphanPid = readPostmasterPid(dataDir)
    killOtherChildren(owner, orphanPid)
    await killProcess(owner)
    expect(await findProcessesIn(layoutOf(dataDir).cluster)).toContain(orphanPid)
    expect(await findRunningEmbedded(dataDir)).toBeUndefined()

    const log = createRecordingLog()
    const pendingStart = startForTest(dataDir, { log })
    const runningDatabase = await vi.waitUntil(() => findRunningEmbedded(dataDir), WAIT_OPTIONS)
    runningDatabase.close()
    expect(readPostmasterPid(dataDir)).not.toBe(orphanPid)
    expect(await isRowStored(dataDir, id)).toBe(true)
    await pendingStart
    expect(await findProcessesIn(layoutOf(dataDir).cluster)).not.toContain(orphanPid)
    expect(log.entries).toContainEqual(expect.objectContaining({ details: { pids: [orphanPid], signal: 'SIGINT' } }))
  })

  it('of PostgreSQL, the running server restarts it', async () => {
    const dataDir = sharedDataDir()
    const log = createRecordingLog()
    await startForTest(dataDir, { log })
    const id = await storeRow(dataDir)
    for (let round = 1; round <= 2; round++) {
      const pid = readPostmasterPid(dataDir)
      process.kill(pid, 'SIGKILL')
      await vi.waitFor(() => expect(findRestarts(log.entries)).toHaveLength(round), WAIT_OPTIONS)
      expect(readPostmasterPid(dataDir)).not.toBe(pid)
      expect(await isRowStored(dataDir, id)).toBe(true)
    }
  })

  it('of PostgreSQL while one of its processes hangs, the server still restarts it', async () => {
    const dataDir = sharedDataDir()
    const log = createRecordingLog()
    await startForTest(dataDir, { log })
    const id = await storeRow(dataDir)
    const hangingQuery = queryEmbedded(dataDir, 'select pg_sleep(600)').catch(() => 'cut')
    await vi.waitFor(async () => expect(await findSleepingPids(dataDir)).toHaveLength(1), WAIT_OPTIONS)
    const [sleeperPid] = await findSleepingPids(dataDir)
    process.kill(Number(sleeperPid), 'SIGSTOP')
    process.kill(readPostmasterPid(dataDir), 'SIGKILL')
    await vi.waitFor(() => expect(findRestarts(log.entries)).toHaveLength(1), WAIT_OPTIONS)
    expect(await hangingQuery).toBe('cut')
    expect(await isRowStored(dataDir, id)).toBe(true)
  })

  it('of the server and PostgreSQL, the next start succeeds', async () => {
    const dataDir = sharedDataDir()
    const owner = await startOwner(dataDir)
    const id = await storeRow(dataDir)
    const postmasterPid = readPostmasterPid(dataDir)
    // Kill the server first, because it would restart PostgreSQL.
    await killProcess(owner)
    process.kill(postmasterPid, 'SIGKILL')
    await startForTest(dataDir)
    expect(await isRowStored(dataDir, id)).toBe(true)
  })

  it('and a reboot, an unrelated process with the old pid neither blocks the start nor gets killed', async () => {
    const dataDir = sharedDataDir()
    const firstDatabase = await startForTest(dataDir)
    const id = await storeRow(dataDir)
    const { postmasterPidFile, socket } = layoutOf(dataDir)
    const [pidFile, socketLock] = [readFileSync(postmasterPidFile, 'utf8'), readFileSync(`${socket}.lock`, 'utf8')]
    await firstDatabase.stop()
    const unrelatedProcess = spawn('sleep', ['600'])
    onTestFinished(() => {
      unrelatedProcess.kill('SIGKILL')
    })
    writeFileSync(postmasterPidFile, pidFile.replace(/^\d+/, String(unrelatedProcess.pid)))
    writeFileSync(`${socket}.lock`, socketLock.replace(/^\d+/, String(unrelatedProcess.pid)))

    await startForTest(dataDir)
    expect(await isRowStored(dataDir, id)).toBe(true)
    expect(unrelatedProcess.exitCode ?? unrelatedProcess.signalCode).toBeNull()
  })

  it.skipIf(!hasFlock)(
    'of a server in another container, the start waits for its PostgreSQL and never uses it',
    async () => {
      const dataDir = sharedDataDir()
      // Holds the lock like a PostgreSQL in another container, whose processes this server can't see.
      const hiddenHolder = spawn('flock', [layoutOf(dataDir).clusterLock, 'sleep', '600'], { detached: true })
      onTestFinished(() => {
        process.kill(-Number(hiddenHolder.pid), 'SIGKILL')
      })
      await vi.waitFor(
        () => expect(spawnSync('flock', ['-n', layoutOf(dataDir).clusterLock, 'true']).status).toBe(1),
        WAIT_OPTIONS,
      )
      await expect(startForTest(dataDir)).rejects.toThrow(/can't be stopped from here/)
    },
  )

  const phases = [
    {
      phase: 'is running',
      isReached: ({ unfinishedCluster }: Layout) => existsSync(join(unfinishedCluster, 'global', 'pg_control')),
    },
    { phase: 'begins', isReached: ({ unfinishedCluster }: Layout) => existsSync(unfinishedCluster) },
  ]
  it.each(isFaultsRun ? phases : phases.slice(0, 1))(
    'when initdb $phase, the next start creates a complete database',
    async ({ isReached }) => {
      // initdb must also support such a path.
      const dataDir = killProcessesAfterTest(join(createTestFolder(), ...LONG_PATH))
      const layout = layoutOf(dataDir)
      const owner = spawnOwner(dataDir)
      // On a slow machine the test may miss this phase, and continues when initdb has finished.
      const isReachedOrPassed = () => isReached(layout) || existsSync(layout.cluster)
      await vi.waitFor(() => expect(isReachedOrPassed()).toBe(true), { ...WAIT_OPTIONS, interval: 2 })
      await killProcess(owner)
      await startForTest(dataDir)
      expect(existsSync(layout.unfinishedCluster)).toBe(false)
      expect(await findProcessesIn(layout.unfinishedCluster)).toEqual([])
      expect(await queryEmbedded(dataDir, 'select 1 as one')).toEqual([{ one: 1 }])
    },
  )
})

describe('stop', () => {
  it('becomes an immediate shutdown when a process of PostgreSQL hangs', async () => {
    const dataDir = sharedDataDir()
    const log = createRecordingLog()
    const database = await startForTest(dataDir, { log, stopGraceMs: 100 })
    const id = await storeRow(dataDir)
    const hangingQuery = queryEmbedded(dataDir, 'select pg_sleep(600)').catch(() => 'cut')
    await vi.waitFor(async () => expect(await findSleepingPids(dataDir)).toHaveLength(1), WAIT_OPTIONS)
    const [sleeperPid] = await findSleepingPids(dataDir)
    process.kill(Number(sleeperPid), 'SIGSTOP')
    const stopPromise = database.stop()
    await vi.waitFor(() => expect(log.entries.at(-1)?.message).toBe('PostgreSQL did not stop in time'), WAIT_OPTIONS)
    // Continue the suspended process, so that it exits now. Otherwise PostgreSQL would kill it only after 5 s.
    process.kill(Number(sleeperPid), 'SIGCONT')
    await stopPromise
    expect(await hangingQuery).toBe('cut')
    await startForTest(dataDir)
    expect(await isRowStored(dataDir, id)).toBe(true)
  })

  it('during a restart cancels the restart', async () => {
    const dataDir = sharedDataDir()
    const log = createRecordingLog()
    const database = await startForTest(dataDir, { log })
    const stopPromise = new Promise<void>((resolve) => {
      log.error = () => resolve(database.stop())
    })
    process.kill(readPostmasterPid(dataDir), 'SIGKILL')
    await stopPromise
    await vi.waitFor(async () => expect(await findProcessesIn(layoutOf(dataDir).cluster)).toEqual([]), WAIT_OPTIONS)
    expect(findRestarts(log.entries)).toEqual([])
    await startForTest(dataDir)
  })
})

function findRestarts(entries: { message: string }[]) {
  return entries.filter(({ message }) => message === 'PostgreSQL is running again')
}

async function findSleepingPids(dataDir: string): Promise<unknown[]> {
  const rows = await queryEmbedded(
    dataDir,
    `select pid from pg_stat_activity where query = 'select pg_sleep(600)'`,
    'postgres',
  )
  return rows.map(({ pid }) => pid)
}

/** Kills the other child of the server: a shell that stops PostgreSQL after the server has ended. */
function killOtherChildren({ pid = 0 }: ChildProcess, postmasterPid: number): void {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
  const pids = stdout
    .split('\n')
    .map(Number)
    .filter((childPid) => childPid > 0 && childPid !== postmasterPid)
  for (const childPid of pids) process.kill(childPid, 'SIGKILL')
}
