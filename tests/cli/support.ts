/** The command line as people meet it: real processes, real folders. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pg from 'pg'
import { layoutOf } from '../../src/storage/embedded/layout.ts'
import { findProcessesIn, signalAll } from '../../src/storage/embedded/processes.ts'

const program = resolve(import.meta.dirname, '../../bin/belfry.js')

export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

export type Env = Record<string, string>

/** Nothing of the environment that the tests themselves run in. */
function environment(env: Env): Env {
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env
  return { PATH, HOME, TMPDIR, PORT: '0', BELFRY_RATE_LIMIT: '0', ...env }
}

export function start(args: string[], options: { env: Env; cwd?: string }): ChildProcess {
  return spawn(process.execPath, [program, ...args], {
    env: environment(options.env),
    stdio: 'pipe',
    ...(options.cwd !== undefined && { cwd: options.cwd }),
  })
}

export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (text) => (stdout += text))
  child.stderr?.on('data', (text) => (stderr += text))
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** Runs a command to its end. `words`: what would be typed after `npm run belfry --`. */
export async function belfry(
  words: string | string[],
  options: { env: Env; input?: string; cwd?: string },
): Promise<Outcome> {
  const child = start(typeof words === 'string' ? words.split(' ') : words, options)
  child.stdin?.on('error', () => {}) // it may end without reading
  child.stdin?.end(options.input ?? '')
  return outcomeOf(child)
}

/** From util-linux (bsdutils on Debian); a small image may lack it. */
export const hasTerminal = spawnSync('script', ['--version']).status === 0

/** At a terminal of its own; answers are typed when their question appears. */
export async function atTerminal(
  words: string,
  { env, answers }: { env: Env; answers: [question: string, answer: string][] },
): Promise<{ code: number | null; shown: string }> {
  const child = spawn('script', ['-qec', `"${process.execPath}" "${program}" ${words}`, '/dev/null'], {
    env: environment(env),
    stdio: 'pipe',
  })
  const left = [...answers]
  let shown = ''
  let unread = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    shown += text
    unread += text
    const [next] = left
    if (next === undefined || !unread.includes(next[0])) return
    left.shift()
    unread = ''
    child.stdin.write(next[1])
  })
  const [code] = await once(child, 'close')
  return { code, shown }
}

export interface ServerProcess {
  url: string
  /** The one-time link, while it lives. */
  setupPath: string | undefined
  pid: number
  /** Its exit code, once it has ended. */
  ended: Promise<number | null>
  hasEnded(): boolean
  /** What it has printed so far. */
  output(): string
  stop(): Promise<void>
}

/** Whoever waits longer waits for nothing, and would not say for what. */
const START_MOST_MS = 60_000
const ANSWER_MOST_MS = 60_000

export async function serve(env: Env): Promise<ServerProcess> {
  const child = start(['serve'], { env })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  let output = ''
  child.stderr?.on('data', (text) => (output += text))
  const url = await new Promise<string>((found, failed) => {
    setTimeout(() => failed(new Error(`the server is not there yet:\n${output}`)), START_MOST_MS).unref()
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      output += text
      const match = /Belfry is running at (\S+)[\s\S]*Ctrl-C to stop/.exec(output)
      if (match?.[1] !== undefined) found(match[1])
    })
    child.once('exit', (code) => failed(new Error(`the server ended with ${code}:\n${output}`)))
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
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

export interface Folder {
  path: string
  /** A data folder in it, which does not exist yet. */
  data(name: string): string
  /** With whatever still runs in it. */
  remove(): Promise<void>
}

export function makeFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'belfry-cli-'))
  // As root, PostgreSQL runs as another user, who has to pass through.
  chmodSync(path, 0o711)
  const made: string[] = []
  return {
    path,
    data(name) {
      made.push(join(path, name))
      return join(path, name)
    },
    async remove() {
      for (const data of made) signalAll(await findProcessesIn(layoutOf(data).cluster), 'SIGKILL')
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export function urlOf({ host = '', port, user = '', database = '' }: pg.ClientConfig): string {
  const query = new URLSearchParams({ host, port: String(port), user })
  return `postgres:///${database}?${query}`
}

/** The embedded database's superuser, who sees every row. Beside a running server only. */
export function superuserOf(dataDir: string): pg.ClientConfig {
  return { host: layoutOf(dataDir).socketFolder, port: 5432, user: 'postgres', database: 'belfry' }
}

export async function query(connection: pg.ClientConfig, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    await client.query(`set search_path = belfry; set belfry.across_users = 'on'`)
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Every row of every table, as text; counters come and go by themselves. */
export async function readAll(connection: pg.ClientConfig): Promise<Record<string, unknown[]>> {
  const tables = await query(
    connection,
    `select c.relname::text as name from pg_class c
      where c.relnamespace = 'belfry'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relpersistence = 'p' and c.relname <> 'migrations' order by 1`,
  )
  const all: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    const rows = await query(connection, `select t::text as row from "${name}" t order by 1`)
    all[String(name)] = rows.map(({ row }) => row)
  }
  return all
}

export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers as they come
  body: any
}

export async function call(
  url: string,
  path: string,
  options: { method?: string; key?: string; cookie?: string; json?: unknown } = {},
): Promise<Answer> {
  const { method = options.json === undefined ? 'GET' : 'POST', key, cookie, json } = options
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(cookie !== undefined && { cookie: `belfry_session=${cookie}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
    signal: AbortSignal.timeout(ANSWER_MOST_MS),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
