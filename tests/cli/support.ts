/** Runs the command line, on real data folders. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import pg from 'pg'
import { inject } from 'vitest'
import { serverFlag } from '../../bin/launch.js'
import { type RunningServer, startServer } from '../../src/app/server.ts'
import { readConfig } from '../../src/config/config.ts'
import { createLog } from '../../src/lib/log.ts'
import { main } from '../../src/main.ts'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { endCluster } from '../support/run-folders.ts'

export { copyFolder as copyDataFolder } from '../support/data-folder.ts'

const program = resolve(import.meta.dirname, '../../bin/belfry.js')

export interface CliResult {
  code: number | null
  stdout: string
  stderr: string
}

export type Env = Record<string, string>

/**
 * Passes on only a few variables of this process, so that no setting of the test run applies. Without the compile cache of the
 * run, processes that become another user would compile everything again, because they can't write to root's cache.
 */
function createEnvironment(env: Env): Env {
  const { PATH = '', HOME = '', TMPDIR = tmpdir(), NODE_COMPILE_CACHE } = process.env
  const settings = { PORT: '0', BELFRY_RATE_LIMIT: '0', BELFRY_DRAIN_SECONDS: '0' }
  // A developer may have a belfry.env in the working folder. BELFRY_CONFIG names an empty file, so that no command
  // reads belfry.env.
  const cache: Env = NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
  return { PATH, HOME, TMPDIR, ...cache, BELFRY_CONFIG: '/dev/null', ...settings, ...env }
}

export function startCommand(args: string[], options: { env: Env; cwd?: string; program?: string }): ChildProcess {
  // Without this flag, `bin/belfry.js serve` would start Node a second time.
  return spawn(process.execPath, [serverFlag, options.program ?? program, ...args], {
    env: createEnvironment(options.env),
    stdio: 'pipe',
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  })
}

export async function waitForResult(child: ChildProcess): Promise<CliResult> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (text) => (stdout += text))
  child.stderr?.on('data', (text) => (stderr += text))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

const splitWords = (words: string | string[]) => (typeof words === 'string' ? words.split(' ') : words)

/**
 * Runs a command in this process, which takes a tenth of the time that a new process takes. `words` is what a user types
 * after `npm run belfry --`, and `input` is the standard input. Use `belfryProcess` for commands that write to `process.stdout`
 * themselves, such as `traffic export … -`.
 */
export async function belfry(
  words: string | string[],
  { env, input }: { env: Env; input?: string },
): Promise<CliResult> {
  const stdout: string[] = []
  const stderr: string[] = []
  const args = splitWords(words)
  // Without a data folder, the command, and so the whole test process, would switch from root to the owner of the working folder.
  const data: Env = args.some((arg) => arg.startsWith('--config')) ? {} : { BELFRY_DATA: '/belfry-test-data' }
  const run = () =>
    main(args, {
      env: createEnvironment({ ...data, ...env }),
      stdout: { write: (text) => stdout.push(text) },
      stderr: { write: (text) => stderr.push(text) },
    })
  const code = input === undefined ? await run() : await withStandardInput(input, run)
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

/** Replaces the standard input of this process while `work` runs. */
async function withStandardInput<T>(input: string, work: () => Promise<T>): Promise<T> {
  const descriptor = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {}
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([input]) })
  try {
    return await work()
  } finally {
    Object.defineProperty(process, 'stdin', descriptor)
  }
}

/** Runs a command in a new process and waits for its end. */
export async function belfryProcess(
  words: string | string[],
  options: { env: Env; input?: string; cwd?: string },
): Promise<CliResult> {
  const child = startCommand(splitWords(words), options)
  // The command may end without reading its input.
  child.stdin?.on('error', () => {})
  child.stdin?.end(options.input ?? '')
  return waitForResult(child)
}

/** `runAtTerminal` needs the command `script`, which is part of util-linux. Some container images lack it. */
export const canRunAtTerminal = spawnSync('script', ['--version']).status === 0

/**
 * Returns the lines of `doctor`, except for what is missing before the server goes live, and for the two lines that depend on
 * the machine: its ping command and its free disk space.
 */
export function listDiagnoses(stdout: string): string[] {
  const [diagnoses = ''] = stdout.split('\nGo live (', 1)
  return diagnoses.split('\n').filter((line) => !/^. (?:Ping monitors|Disk space):/.test(line))
}

/** Runs a command at a terminal and types each answer when its question appears. */
export async function runAtTerminal(
  words: string,
  { env, answers }: { env: Env; answers: [question: string, answer: string][] },
): Promise<{ code: number | null; screen: string }> {
  const child = spawn('script', ['-qec', `"${process.execPath}" "${program}" ${words}`, '/dev/null'], {
    env: createEnvironment(env),
    stdio: 'pipe',
  })
  const remainingAnswers = [...answers]
  let screen = ''
  let unreadText = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    screen += text
    unreadText += text
    const [nextAnswer] = remainingAnswers
    if (nextAnswer === undefined || !unreadText.includes(nextAnswer[0])) return
    remainingAnswers.shift()
    unreadText = ''
    child.stdin.write(nextAnswer[1])
  })
  const [code] = await once(child, 'close')
  return { code, screen }
}

export interface ServerProcess {
  url: string
  /** The path of the one-time setup link, while there is no account. */
  setupPath: string | undefined
  pid: number
  /** Resolves with the exit code. */
  ended: Promise<number | null>
  hasEnded(): boolean
  /** Returns everything that the server has printed so far. */
  output(): string
  stop(): Promise<void>
}

/** This is shorter than the timeouts of the tests, so that the error message shows the server's output. */
const START_TIMEOUT_MS = 60_000
const RESPONSE_TIMEOUT_MS = 60_000

/** `options.program` can be the `bin/belfry.js` of another version. */
export async function startServerProcess(
  env: Env,
  { words = 'serve', ...options }: { words?: string; program?: string } = {},
): Promise<ServerProcess> {
  const child = startCommand(splitWords(words), { env, ...options })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let output = ''
  child.stderr?.on('data', (text) => (output += text))
  const url = await new Promise<string>((resolve, reject) => {
    setTimeout(() => reject(new Error(`The server did not start in time:\n${output}`)), START_TIMEOUT_MS).unref()
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text
      const match = /Belfry is running at (\S+)[\s\S]*Ctrl-C to stop/.exec(output)
      if (match?.[1] !== undefined) resolve(match[1])
    })
    child.once('exit', (code) => reject(new Error(`The server exited with ${code}:\n${output}`)))
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    url,
    setupPath: /\/setup\?token=\S+/.exec(output)?.[0],
    pid: child.pid ?? 0,
    ended,
    hasEnded,
    output: () => output,
    async stop() {
      if (hasEnded()) return
      child.kill('SIGTERM')
      await ended
    },
  }
}

/**
 * Starts a server in this process, which takes a fifth of the processor time that a new process takes. Use
 * `startServerProcess` if the test kills the server, reads its output, or needs its checker.
 */
export function startServerInProcess(env: Env): Promise<RunningServer> {
  const config = readConfig(createEnvironment({ BELFRY_ROLES: 'web', ...env }))
  return startServer(config, { log: createLog('error', process.stderr) })
}

export interface TempFolder {
  path: string
  /** Returns the path of a data folder in this folder. The data folder does not exist yet. */
  data(name: string): string
  /** Ends all processes of the databases in this folder, then deletes the folder. */
  remove(): Promise<void>
}

export function createTempFolder(): TempFolder {
  const path = mkdtempSync(join(inject('runFolder'), 'cli-'))
  // Started as root, PostgreSQL runs as the user `nobody`, which must be able to traverse this folder.
  chmodSync(path, 0o711)
  const dataFolders: string[] = []
  return {
    path,
    data(name) {
      dataFolders.push(join(path, name))
      return join(path, name)
    },
    async remove() {
      for (const data of dataFolders) await endCluster(layoutOf(data).cluster)
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export function toConnectionUrl({ host = '', port, user = '', database = '' }: pg.ClientConfig): string {
  const query = new URLSearchParams({ host, port: String(port), user })
  return `postgres:///${database}?${query}`
}

/** Returns the connection of the embedded database's superuser, who sees every row. It works while a server is running. */
export function getSuperuserConnection(dataDir: string): pg.ClientConfig {
  return { host: layoutOf(dataDir).socketFolder, port: 5432, user: 'postgres', database: 'belfry' }
}

type RunSql = (sql: string) => Promise<Record<string, unknown>[]>

async function withConnection<T>(connection: pg.ClientConfig, use: (runSql: RunSql) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`set search_path = belfry; set belfry.across_users = 'on'`)
    return await use(async (sql) => (await client.query(sql)).rows)
  } finally {
    await client.end()
  }
}

export function query(connection: pg.ClientConfig, sql: string): Promise<Record<string, unknown>[]> {
  return withConnection(connection, (runSql) => runSql(sql))
}

/** Reads every row of every table as text. Skips unlogged tables and `nodes`, whose rows change by themselves. */
export function readAllRows(connection: pg.ClientConfig): Promise<Record<string, unknown[]>> {
  return withConnection(connection, async (runSql) => {
    const tables = await runSql(
      `select c.relname::text as name from pg_class c
        where c.relnamespace = 'belfry'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
          and c.relpersistence = 'p' and c.relname not in ('migrations', 'nodes', 'beat_reception') order by 1`,
    )
    const rowsByTable: Record<string, unknown[]> = {}
    for (const { name } of tables) {
      // A backup stores its time in the database after it has read all rows, so the backup itself doesn't contain this time.
      const condition = name === 'server_settings' ? `where name <> 'last_backup'` : ''
      const rows = await runSql(`select t::text as row from "${name}" t ${condition} order by 1`)
      rowsByTable[String(name)] = rows.map(({ row }) => row)
    }
    return rowsByTable
  })
}

export interface JsonResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on the raw JSON of a response
  body: any
}

export async function call(
  url: string,
  path: string,
  options: { method?: string; key?: string; cookie?: string; json?: unknown } = {},
): Promise<JsonResponse> {
  const { method = options.json === undefined ? 'GET' : 'POST', key, cookie, json } = options
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { cookie: `belfry_session=${cookie}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
