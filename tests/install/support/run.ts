/** Runs programs as a person on a fresh machine would: with the system's Node and without the settings of this shell. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { beforeAll } from 'vitest'

/** npm puts the folders of this project's programs, which include Node 26, at the beginning of PATH. */
const systemPath = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !/node_modules[/\\]\.bin$|node-gyp-bin$/.test(folder))
  .join(delimiter)

/**
 * Whether a variable of npm or Git names this project, or a variable of Belfry or the tests changes how Belfry works.
 */
const isForeign = (name: string) =>
  /^(?:npm_(?:package|lifecycle|command|execpath|node_execpath)|GIT_(?:DIR|WORK_TREE|INDEX_FILE)$|BELFRY_|VITEST|NODE_(?!EXTRA_CA_CERTS)|DATABASE_URL$|HOST$|PORT$|CI$|INIT_CWD$)/.test(
    name,
  )

export type Variables = Record<string, string>

export function createCleanEnv(variables: Variables = {}): Variables {
  const inheritedVariables = Object.entries(process.env).filter(([name]) => !isForeign(name))
  return { ...(Object.fromEntries(inheritedVariables) as Variables), PATH: systemPath, ...variables }
}

interface RunOptions {
  cwd: string
  env?: Variables
}

interface StartOptions extends RunOptions {
  stdin?: 'ignore' | 'pipe'
}

/** Runs a program to its end and returns what it printed. Throws if it fails. */
export function run(program: string, args: string[], { cwd, env }: RunOptions): string {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: createCleanEnv(env),
    encoding: 'utf8',
    maxBuffer: 64_000_000,
  })
  if (status === 0) return stdout
  const reason = error?.message ?? (signal === null ? `exit code ${status}` : signal)
  throw new Error(`${program} ${args.join(' ')} failed (${reason}):\n${stdout}${stderr}`)
}

export interface StartedProgram {
  child: ChildProcess
  output(): string
  /** Sends SIGTERM and waits until the program has ended. Returns how many milliseconds that took. */
  stop(): Promise<number>
}

/** Starts a program that runs until `stop` is called. */
export function start(program: string, args: string[], { cwd, env, stdin = 'ignore' }: StartOptions): StartedProgram {
  const child = spawn(program, args, { cwd, env: createCleanEnv(env), stdio: [stdin, 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => (output += text))
  return {
    child,
    output: () => output,
    async stop() {
      const startedAt = Date.now()
      if (child.exitCode === null && child.signalCode === null) {
        const childExit = once(child, 'exit')
        child.kill('SIGTERM')
        await childExit
      }
      return Date.now() - startedAt
    },
  }
}

export interface InstallFolder {
  path: string
  remove(): void
}

/** Creates an empty folder that every user can enter, before the tests of the current `describe`. If they are skipped, it creates none. */
export function createInstallFolder(name: string): InstallFolder {
  const path = join(tmpdir(), `belfry-${name}-${randomBytes(4).toString('hex')}`)
  beforeAll(() => {
    mkdirSync(path)
    chmodSync(path, 0o755)
  })
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Returns how much disk space the folder takes, in MB. */
export function measureMegabytes(path: string): number {
  const kibibytes = Number(run('du', ['-sk', path], { cwd: '/' }).split('\t')[0])
  return Math.round((kibibytes * 1024) / 1e6)
}

/** Prints how long an installation took and how large it is. docs/install.md quotes these lines. */
export function printMeasurement(text: string): void {
  process.stdout.write(`${text}\n`)
}
