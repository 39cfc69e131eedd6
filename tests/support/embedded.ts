import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { acquireSocketAddress } from '../../src/storage/embedded/address.ts'
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import type { UserIds } from '../../src/storage/embedded/identity.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { readPostmasterFile } from '../../src/storage/embedded/postmaster-file.ts'
import { createDataFolder } from './data-folder.ts'
import { endCluster } from './run-folders.ts'

export const runsAsRoot = process.getuid?.() === 0

/**
 * Started as root, PostgreSQL runs as the user `nobody`. That user can access folders of root only in a user namespace, which
 * many containers forbid.
 */
export const canUseRootOnlyFolders =
  !runsAsRoot || spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', '--', 'true']).status === 0

/** The timeout is long, because the machine may be busy with other tests. */
export const WAIT_OPTIONS = { timeout: 20_000, interval: 20 }

/** Creates a folder that is deleted when the test ends. */
export function createTestFolder(options: { mode?: number } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-embedded-'))
  // Started as root, PostgreSQL runs as the user `nobody`, which must be able to traverse this folder.
  chmodSync(folder, options.mode ?? 0o711)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The end of the path of a data folder. The path is too long for a socket, and has characters that need quotes. */
export const LONG_PATH = ['long'.repeat(40), "it's, a folder"]

/** Returns the path of a data folder that does not exist yet. */
export function createDataDirPath(options: { mode?: number } = {}): string {
  return killProcessesAfterTest(join(createTestFolder(options), 'data'))
}

/** Shares one data folder between tests that don't need a new one. */
export function useSharedDataDir(): () => string {
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'belfry-embedded-'))
    chmodSync(folder, 0o711)
    await createDataFolder(join(folder, 'data'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return () => killProcessesAfterTest(join(folder, 'data'))
}

/** Commits a row that must never be lost. */
export async function storeRow(dataDir: string): Promise<string> {
  const [row] = await queryEmbedded(
    dataDir,
    `create table if not exists stored_rows (id uuid default gen_random_uuid()); insert into stored_rows default values returning id`,
  )
  return String(row?.['id'])
}

export async function isRowStored(dataDir: string, id: string): Promise<boolean> {
  return (await queryEmbedded(dataDir, `select from stored_rows where id = '${id}'`)).length === 1
}

/** Kills the processes that still run in the data folder when the test ends. Returns the folder. */
export function killProcessesAfterTest(dataDir: string): string {
  onTestFinished(async () => {
    const { cluster, unfinishedCluster } = layoutOf(dataDir)
    for (const folder of [cluster, unfinishedCluster]) await endCluster(folder)
  })
  return dataDir
}

export interface LogEntry {
  level: string
  message: string
  details: object
}

export function createRecordingLog() {
  const entries: LogEntry[] = []
  const recordAt = (level: string) => (details: object, message: string) => {
    entries.push({ level, message, details })
  }
  return { entries, info: recordAt('info'), warn: recordAt('warn'), error: recordAt('error') }
}

/** Starts the database in this process and stops it when the test ends. */
export async function startForTest(dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedDatabase> {
  const settings = { fsync: 'off', wal_compression: 'off', ...options.settings }
  const database = await startEmbedded({ dataDir, log: createRecordingLog(), ...options, settings })
  onTestFinished(() => database.stop())
  return database
}

/**
 * Starts another process, as `user` if given, that runs the database of the data folder. Does not wait until the database is
 * ready.
 */
export function spawnOwner(dataDir: string, env: NodeJS.ProcessEnv = {}, user?: UserIds): ChildProcess {
  const script = fileURLToPath(new URL('./embedded-owner.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
    ...user,
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

/** Starts another process that runs the database of the data folder, and waits until the database is ready. */
export async function startOwner(dataDir: string, env: NodeJS.ProcessEnv = {}, user?: UserIds): Promise<ChildProcess> {
  const child = spawnOwner(dataDir, env, user)
  if (child.stdout === null) throw new Error('the child process has no stdout')
  for await (const line of createInterface({ input: child.stdout })) {
    if (JSON.parse(line).text === 'started') return child
  }
  throw new Error('the owner ended before its database was ready')
}

export async function killProcess(child: ChildProcess): Promise<void> {
  const childExit = once(child, 'exit')
  child.kill('SIGKILL')
  await childExit
}

export function readPostmasterPid(dataDir: string): number {
  const pid = readPostmasterFile(layoutOf(dataDir))?.pid
  if (pid === undefined) throw new Error(`no PostgreSQL runs in ${dataDir}`)
  return pid
}

export async function queryEmbedded(dataDir: string, sql: string, user = 'belfry'): Promise<Record<string, unknown>[]> {
  const { address, close } = acquireSocketAddress(layoutOf(dataDir))
  const client = new pg.Client({ ...address, user, ssl: false })
  // A test may kill PostgreSQL while this connection is open.
  client.on('error', () => {})
  try {
    await client.connect()
    const result = await client.query(sql)
    // With several statements, `query` returns an array of results.
    return [result].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
    close()
  }
}

/** Changes the owner of a folder and its contents. */
export function changeOwnerOfAll(folder: string, { uid, gid }: UserIds): void {
  const { status, stderr } = spawnSync('chown', ['-R', `${uid}:${gid}`, folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The owner of ${folder} could not be changed: ${stderr}`)
}

/** Returns false if mounting is forbidden. Unmounts when the test ends. */
export function mountUntilTestEnds(folder: string, ...args: string[]): boolean {
  if (spawnSync('mount', [...args, folder]).status !== 0) return false
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', folder])
  })
  return true
}
