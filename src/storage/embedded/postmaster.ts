/** Starts and stops one PostgreSQL process. */

import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { writeConnectionRules } from './connection-rules.ts'
import { type Identity, spawnAs } from './identity.ts'
import type { Layout } from './layout.ts'
import type { Log } from './log.ts'
import { readPostmasterFile, removeStaleFiles } from './postmaster-file.ts'
import { formatSettingArguments } from './settings.ts'
import { explainStartFailure, followLogs } from './start-failure.ts'

const POLL_INTERVAL_MS = 20
// Crash recovery may take a long time, and interrupting it would make it start over. So we wait, and log that it is running.
const PROGRESS_LOG_INTERVAL_MS = 5_000
const IMMEDIATE_SHUTDOWN_TIMEOUT_MS = 6_000
const MAX_OUTPUT_CHARS = 8_192

export interface ProcessExit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Postmaster {
  pid: number
  exited: Promise<ProcessExit>
  /** Requests a fast shutdown, and an immediate one if that takes longer than `graceMs`. */
  stop(graceMs: number): Promise<void>
}

export interface PostmasterOptions {
  layout: Layout
  binaries: Binaries
  identity: Identity
  libraryPath: string | undefined
  settings: Record<string, string>
  log: Log
}

/** Starts PostgreSQL and waits until it accepts connections. `clusterFd` is the lock from claimCluster. */
export async function launchPostmaster(
  options: PostmasterOptions,
  clusterFd: number,
  signal?: AbortSignal,
): Promise<Postmaster> {
  const { layout, binaries, identity, libraryPath, settings, log } = options
  signal?.throwIfAborted()
  removeStaleFiles(layout)
  writeConnectionRules(layout, identity)
  const readNewLogs = followLogs(layout)
  const child = spawnAs(
    identity,
    [binaries.postgres, '-D', layout.cluster, ...formatSettingArguments(layout, settings)],
    {
      // If we are killed, the next start finds the orphaned PostgreSQL by this working directory.
      cwd: layout.cluster,
      libraryPath,
      // PostgreSQL runs in a separate session, so that Ctrl-C reaches us and not PostgreSQL.
      detached: true,
      // stderr is a pipe and not a file, because on a full disk a file would lose the reason for a failure.
      stdio: ['ignore', 'ignore', 'pipe', clusterFd],
    },
  )
  const readLastOutput = collectLastOutput(child)
  const exited = waitForExit(child)
  stopWhenParentDies(child, exited, options)
  const onAbort = () => child.kill('SIGINT')
  signal?.addEventListener('abort', onAbort)
  try {
    await waitUntilReady(child, exited, layout, log)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw explainStartFailure('PostgreSQL did not start', [readLastOutput(), readNewLogs(), reason].join('\n'), layout)
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
  return { pid: child.pid ?? 0, exited, stop: (graceMs) => stopChild(child, exited, graceMs, log) }
}

/** Waits until its input, a pipe from us, is closed. Then stops PostgreSQL, if the pid still belongs to this cluster. */
const STOP_WHEN_PARENT_DIES_SCRIPT = 'read -r line; read -r pid < "$1" && [ "$pid" = "$2" ] && kill -INT "$2"'

/**
 * After `kill -9`, this process can't stop PostgreSQL, which would then run until the next command or server start. So
 * a shell waits for the end of this process, and then stops PostgreSQL. If the shell can't run, or is killed, too, the
 * next start still finds the orphaned PostgreSQL.
 */
function stopWhenParentDies(
  child: ChildProcess,
  exited: Promise<ProcessExit>,
  { layout, identity }: Pick<PostmasterOptions, 'layout' | 'identity'>,
): void {
  if (child.pid === undefined) return
  const command = ['/bin/sh', '-c', STOP_WHEN_PARENT_DIES_SCRIPT, 'sh', layout.postmasterPidFile, String(child.pid)]
  const watcher = spawnAs(identity, command as [string, ...string[]], {
    cwd: '/',
    // The shell runs in a separate session, so that Ctrl-C doesn't end it.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watcher.on('error', () => {})
  watcher.stdin?.on('error', () => {})
  watcher.unref()
  ;(watcher.stdin as Socket | null)?.unref()
  // After the end of PostgreSQL, another process may get its pid. The shell must not stop that process.
  void exited.then(() => watcher.kill('SIGKILL'))
}

async function waitUntilReady(
  child: ChildProcess,
  exited: Promise<ProcessExit>,
  layout: Layout,
  log: Log,
): Promise<void> {
  let result: ProcessExit | undefined
  void exited.then((exit) => {
    result = exit
  })
  let lastLoggedAt = performance.now()
  while (true) {
    const file = readPostmasterFile(layout)
    if (file?.pid === child.pid && file?.status === 'ready') return
    if (result !== undefined) throw new Error(describeExit(result))
    if (performance.now() - lastLoggedAt > PROGRESS_LOG_INTERVAL_MS) {
      log.info(
        { status: file?.status },
        'PostgreSQL is still starting; after a crash it replays its write-ahead log first',
      )
      lastLoggedAt = performance.now()
    }
    await Promise.race([delay(POLL_INTERVAL_MS), exited])
  }
}

async function stopChild(child: ChildProcess, exited: Promise<ProcessExit>, graceMs: number, log: Log): Promise<void> {
  for (const { signal, waitMs } of [
    { signal: 'SIGINT', waitMs: graceMs },
    { signal: 'SIGQUIT', waitMs: IMMEDIATE_SHUTDOWN_TIMEOUT_MS },
  ] as const) {
    child.kill(signal)
    const exit = await Promise.race([exited, delay(waitMs, undefined, { ref: false })])
    if (exit !== undefined) return
    log.warn({ signal, waitMs }, 'PostgreSQL did not stop in time')
  }
  child.kill('SIGKILL')
  await exited
}

function waitForExit(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    // The process could not be started.
    child.once('error', () => resolve({ code: null, signal: null }))
  })
}

function collectLastOutput(child: ChildProcess): () => string {
  let tail = ''
  child.once('error', (error) => {
    tail += error.message
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-MAX_OUTPUT_CHARS)
  })
  return () => tail
}

export function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `it exited with code ${code}` : `it was killed by ${signal}`
}
