import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openAddress } from '../../src/storage/embedded/address.ts'
import { type EmbeddedDatabase, type EmbeddedOptions, startEmbedded } from '../../src/storage/embedded/embedded.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { readPostmasterFile } from '../../src/storage/embedded/postmaster-file.ts'
import { findProcessesIn, signalAll } from '../../src/storage/embedded/processes.ts'

export const isRootHere = process.getuid?.() === 0

/** Where user namespaces are forbidden, as in many containers, root cannot use a folder that is closed to all others. */
export const canUseClosedFolders =
  !isRootHere || spawnSync('unshare', ['--user', '--map-user=65534', '--map-group=65534', '--', 'true']).status === 0

/** Generous: the machine may be busy with other suites. */
export const PATIENCE = { timeout: 20_000, interval: 20 }

/** A folder for one test; with what still runs in it, it is gone afterwards. */
export function makeTestFolder(options: { mode?: number } = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'belfry-embedded-'))
  // As root, PostgreSQL then runs as the user nobody, who may pass through.
  chmodSync(folder, options.mode ?? 0o711)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** A data folder that does not exist yet. */
export function makeDataDir(options: { mode?: number } = {}): string {
  return watchOver(join(makeTestFolder(options), 'data'))
}

/** One data folder for the tests of a file that need no new one: initdb takes most of a start's time. */
export function useSharedDataDir(): () => string {
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'belfry-embedded-'))
    chmodSync(folder, 0o711)
    const dataDir = join(folder, 'data')
    const database = await startEmbedded({ dataDir, log: makeLog(), settings: { fsync: 'off' } })
    await database.stop()
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return () => watchOver(join(folder, 'data'))
}

/** Commits something that must never be lost. */
export async function store(dataDir: string): Promise<string> {
  const [row] = await query(
    dataDir,
    `create table if not exists kept (id uuid default gen_random_uuid()); insert into kept default values returning id`,
  )
  return String(row?.['id'])
}

export async function isStored(dataDir: string, id: string): Promise<boolean> {
  return (await query(dataDir, `select from kept where id = '${id}'`)).length === 1
}

/** Ends whatever a test leaves running in the data folder. */
export function watchOver(dataDir: string): string {
  onTestFinished(async () => {
    const { cluster, unfinished } = layoutOf(dataDir)
    for (const folder of [cluster, unfinished]) signalAll(await findProcessesIn(folder), 'SIGKILL')
  })
  return dataDir
}

export interface Entry {
  level: string
  message: string
  details: object
}

export function makeLog() {
  const entries: Entry[] = []
  const at = (level: string) => (details: object, message: string) => {
    entries.push({ level, message, details })
  }
  return { entries, info: at('info'), warn: at('warn'), error: at('error') }
}

/** Started here, and stopped when the test ends. */
export async function startHere(dataDir: string, options: Partial<EmbeddedOptions> = {}): Promise<EmbeddedDatabase> {
  const settings = { fsync: 'off', ...options.settings }
  const database = await startEmbedded({ dataDir, log: makeLog(), ...options, settings })
  onTestFinished(() => database.stop())
  return database
}

export function spawnOwner(dataDir: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const script = fileURLToPath(new URL('./embedded-owner.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  return child
}

/** Another process that runs the data folder's database. */
export async function startOwner(dataDir: string, env: NodeJS.ProcessEnv = {}): Promise<ChildProcess> {
  const child = spawnOwner(dataDir, env)
  if (child.stdout === null) throw new Error('no output to read')
  for await (const line of createInterface({ input: child.stdout })) {
    if (JSON.parse(line).text === 'started') return child
  }
  throw new Error('the owner ended before its database was ready')
}

export async function killHard(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

export function postmasterPidOf(dataDir: string): number {
  const pid = readPostmasterFile(layoutOf(dataDir))?.pid
  if (pid === undefined) throw new Error(`no PostgreSQL runs in ${dataDir}`)
  return pid
}

export async function query(dataDir: string, sql: string, user = 'belfry'): Promise<Record<string, unknown>[]> {
  const { address, close } = openAddress(layoutOf(dataDir))
  const client = new pg.Client({ ...address, user, ssl: false })
  // A test may kill the server under the connection.
  client.on('error', () => {})
  try {
    await client.connect()
    const result = await client.query(sql)
    // Several statements give several results.
    return [result].flat().at(-1)?.rows ?? []
  } finally {
    await client.end()
    close()
  }
}

/** False where mounting is forbidden. Unmounted when the test ends. */
export function mount(folder: string, ...args: string[]): boolean {
  if (spawnSync('mount', [...args, folder]).status !== 0) return false
  onTestFinished(() => {
    spawnSync('umount', ['--lazy', folder])
  })
  return true
}
