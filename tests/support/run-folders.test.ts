import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn } from '../../src/storage/embedded/processes.ts'
import { type RunFolders, removeDeadRuns } from './run-folders.ts'

interface StartedRun {
  child: ChildProcess
  folders: RunFolders
  /** A process that the run has started, and that survives the run. */
  pid: number
}

function createParent(): string {
  const parent = mkdtempSync(join(inject('runFolder'), 'runs-'))
  chmodSync(parent, 0o711)
  return parent
}

async function startRun(parent: string): Promise<StartedRun> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'started-run.ts'), parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await removeDeadRuns([parent])
  })
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) }
  throw new Error('the run has ended')
}

/** A process that has ended but was not waited for has no command line. */
const isRunning = (pid: number) => existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''

/** The keys of all segments of System V shared memory. */
const listSegments = () =>
  readFileSync('/proc/sysvipc/shm', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/ +/)[0])

function readSegmentKey(cluster: string): string | undefined {
  return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[6]?.trim().split(/ +/)[0]
}

async function listSharedFiles(pids: number[]): Promise<string[]> {
  const maps = pids.map((pid) => readFileSync(`/proc/${pid}/maps`, 'utf8')).join('')
  return [...new Set([...maps.matchAll(/\/dev\/shm\/PostgreSQL\.\d+/g)].map(([file]) => file))]
}

describe.skipIf(process.platform !== 'linux')('a test run', () => {
  it('that was killed leaves no process, folder or shared memory after the next one starts', async () => {
    const parent = createParent()
    const { child, folders, pid } = await startRun(parent)
    const { cluster } = layoutOf(join(folders.database, 'data'))
    const segmentKey = readSegmentKey(cluster)
    const sharedFiles = await listSharedFiles(await findProcessesIn(cluster)).catch(() => [])
    expect(listSegments()).toContain(segmentKey)

    expect(await removeDeadRuns([parent])).toEqual([])
    expect(isRunning(pid)).toBe(true)
    expect(await findProcessesIn(cluster)).not.toEqual([])

    child.kill('SIGKILL')
    await once(child, 'exit')
    expect((await removeDeadRuns([parent])).sort()).toEqual(Object.values(folders).sort())
    expect(existsSync(folders.database) || existsSync(folders.temporary)).toBe(false)
    expect(isRunning(pid)).toBe(false)
    expect(listSegments()).not.toContain(segmentKey)
    expect(sharedFiles.filter((file) => existsSync(file))).toEqual([])
  })
})
