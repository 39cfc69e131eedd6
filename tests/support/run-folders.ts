/**
 * The folders of a test run, and everything that lives in them: databases, servers and browsers. A run removes its folders when it ends.
 * If it was killed, `removeDeadRuns` does so later.
 */
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findProcessesIn, signalAll } from '../../src/storage/embedded/processes.ts'
import { run } from '../../src/storage/embedded/run.ts'

const MEMORY_FOLDER = '/dev/shm'
/** A whole run needs less than half of this. */
const MIN_FREE_BYTES = 2 * 1024 ** 3

function hasFreeMemory(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK)
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= MIN_FREE_BYTES
  } catch {
    return false
  }
}

/** Test databases are in memory if enough is free. Creating and dropping one means creating and deleting 300 files, which takes five times as long on a disk. */
const databaseFolder = hasFreeMemory() ? MEMORY_FOLDER : tmpdir()

const PREFIX = 'belfry-run-'
/** The name of the file that says which process the folder belongs to. */
const OWNER_FILE = 'owner'
const KILL_TIMEOUT_MS = 10_000
/** A frozen PostgreSQL doesn't react, so it is killed after this time. */
const QUIT_TIMEOUT_MS = 1_000

export interface RunFolders {
  /** The folder for databases. It is in memory if the machine has enough. */
  database: string
  /** Replaces the machine's folder for temporary files. */
  temporary: string
}

/** Creates both folders. They belong to this process. */
export function createRunFolders(parents: RunFolders = { database: databaseFolder, temporary: tmpdir() }): RunFolders {
  // Started as root, PostgreSQL runs as the user `nobody`, which must be able to traverse the database folder, and to
  // write to the temporary folder.
  return { database: createFolder(parents.database, 0o711), temporary: createFolder(parents.temporary, 0o1777) }
}

function createFolder(parent: string, mode: number): string {
  const folder = mkdtempSync(join(parent, PREFIX))
  chmodSync(folder, mode)
  writeFileSync(join(folder, OWNER_FILE), describeProcess(process.pid) ?? '')
  return folder
}

/** Kills everything that still runs in the folders, and deletes them with the shared memory of their databases. */
export async function removeRunFolders({ database, temporary }: RunFolders): Promise<void> {
  for (const folder of [database, temporary]) await removeFolder(folder)
}

/** Removes the folders of runs whose process has ended. Returns their paths. */
export async function removeDeadRuns(parents: readonly string[] = [databaseFolder, tmpdir()]): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const folders = [...new Set(parents)].flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => join(parent, name)),
  )
  const deadFolders = folders.filter(isDead)
  for (const folder of deadFolders) await removeFolder(folder)
  return deadFolders
}

/** A folder that belongs to another user, or has no owner file, may still be in use. */
function isDead(folder: string): boolean {
  try {
    const owner = readFileSync(join(folder, OWNER_FILE), 'utf8')
    const isOurs = statSync(folder).uid === process.getuid?.()
    return isOurs && owner !== '' && describeProcess(Number.parseInt(owner, 10)) !== owner
  } catch {
    return false
  }
}

/**
 * Describes a process by its pid and its start, because the pid of a dead process can be used again. undefined if there
 * is no such process.
 */
function describeProcess(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields[0] === 'Z' ? undefined : `${pid} ${fields[19]}`
  } catch {
    return undefined
  }
}

async function removeFolder(folder: string): Promise<void> {
  // These processes end first, because they may still start databases.
  await killAll(findProcessesWithTemporaryFolder(folder))
  for (const cluster of findClusters(folder)) await endCluster(cluster)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** PostgreSQL writes postmaster.opts to its data directory when it starts, and never deletes it. */
function findClusters(folder: string): string[] {
  const { stdout } = spawnSync('find', [folder, '-name', 'postmaster.opts'], { encoding: 'utf8' })
  return stdout.split('\n').filter(Boolean).map(dirname)
}

/** Kills PostgreSQL in its data directory, and deletes its shared memory, which would otherwise outlive it. */
export async function endCluster(cluster: string): Promise<void> {
  const segment = readSegment(cluster)
  const pids = await findProcessesIn(cluster)
  const files = await listSharedFiles(cluster, pids)
  await quit(cluster, pids)
  await killAll(pids)
  if (process.platform !== 'linux') return
  if (segment !== undefined && isUnused(segment)) spawnSync('ipcrm', ['--shmem-id', segment.id])
  for (const file of files) rmSync(file, { force: true })
}

/**
 * Lets PostgreSQL end by itself. If it was killed while it already ends, it could leave a file of shared memory behind that no
 * process uses any more.
 */
async function quit(cluster: string, pids: readonly number[]): Promise<void> {
  const postmasterPid = readPostmasterPid(cluster)
  if (postmasterPid === undefined || !pids.includes(postmasterPid)) return
  signalAll([postmasterPid], 'SIGQUIT')
  const endsAt = performance.now() + QUIT_TIMEOUT_MS
  while (describeProcess(postmasterPid) !== undefined && performance.now() < endsAt) await delay(10)
}

/** The first line of postmaster.pid is the pid of PostgreSQL's main process. */
function readPostmasterPid(cluster: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(join(cluster, 'postmaster.pid'), 'utf8'), 10)
  } catch {
    return undefined
  }
}

interface Segment {
  key: string
  id: string
}

/** The seventh line of postmaster.pid names a segment of System V shared memory. */
function readSegment(cluster: string): Segment | undefined {
  try {
    const line = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[6]
    const [key, id] = line?.trim().split(/ +/) ?? []
    return key === undefined || id === undefined ? undefined : { key, id }
  } catch {
    return undefined
  }
}

/**
 * Whether the segment still exists, and no process uses it. Linux reuses ids, so the key, which depends on the data
 * directory, must match, too.
 */
function isUnused({ key, id }: Segment): boolean {
  const [, ...lines] = readFileSync('/proc/sysvipc/shm', 'utf8').trim().split('\n')
  return lines.some((line) => {
    const [lineKey, lineId, , , , , attachedCount] = line.trim().split(/ +/)
    return lineKey === key && lineId === id && attachedCount === '0'
  })
}

/** Lists the files of POSIX shared memory that the processes use. Only the user of these processes may see them. */
async function listSharedFiles(cluster: string, pids: readonly number[]): Promise<string[]> {
  if (process.platform !== 'linux' || pids.length === 0) return []
  const { uid, gid } = statSync(cluster)
  const identity = process.getuid?.() === 0 && uid !== 0 ? ({ identity: { kind: 'user', uid, gid } } as const) : {}
  const { stdout } = await run(['cat', ...pids.map((pid) => `/proc/${pid}/maps`)], identity)
  return [...new Set([...stdout.matchAll(/ (\/dev\/shm\/PostgreSQL\.\d+)$/gm)].map(([, file = '']) => file))]
}

/** Workers, servers, browsers and proxies of a run inherit its folder for temporary files. */
function findProcessesWithTemporaryFolder(folder: string): number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`TMPDIR=${folder}`)
      } catch {
        return false
      }
    })
}

async function killAll(pids: number[]): Promise<void> {
  const descriptions = new Map(pids.map((pid) => [pid, describeProcess(pid)]))
  signalAll(pids, 'SIGKILL')
  const isRunning = (pid: number) => existsSync(`/proc/${pid}`) && describeProcess(pid) === descriptions.get(pid)
  for (const endsAt = performance.now() + KILL_TIMEOUT_MS; pids.some(isRunning); await delay(10)) {
    if (performance.now() > endsAt) throw new Error(`Processes don't end: ${pids.filter(isRunning).join(', ')}.`)
  }
}
