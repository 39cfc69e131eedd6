/** One run of the PostgreSQL server. */

import type { ChildProcess } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { type Identity, spawnAs } from './identity.ts'
import type { Layout } from './layout.ts'
import type { Log } from './log.ts'
import { readPostmasterFile, removeStaleFiles } from './postmaster-file.ts'
import { settingArguments } from './settings.ts'
import { explainFailure, followLogs } from './start-failure.ts'

const POLL_MS = 20
// Recovery after a crash may take long and must not be cut short: it would start over. So it is only talked about.
const TALK_EVERY_MS = 5_000
const QUIT_MS = 6_000
const KEPT_OUTPUT_CHARS = 8_192

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface Postmaster {
  pid: number
  exited: Promise<Exit>
  /** fast shutdown; an immediate one when that takes longer than `graceMs` */
  stop(graceMs: number): Promise<void>
}

export interface PostmasterParts {
  layout: Layout
  binaries: Binaries
  identity: Identity
  libraryPath: string | undefined
  settings: Record<string, string>
  log: Log
}

/** Starts PostgreSQL and waits until it takes connections. `clusterFd` is the lock from claimCluster. */
export async function launchPostmaster(
  parts: PostmasterParts,
  clusterFd: number,
  signal?: AbortSignal,
): Promise<Postmaster> {
  const { layout, binaries, identity, libraryPath, settings, log } = parts
  signal?.throwIfAborted()
  removeStaleFiles(layout)
  const readNewLogs = followLogs(layout)
  const child = spawnAs(identity, [binaries.postgres, '-D', layout.cluster, ...settingArguments(layout, settings)], {
    // From its first moment on, an orphan is known by this folder.
    cwd: layout.cluster,
    libraryPath,
    // In its own session: Ctrl-C must reach us and not PostgreSQL.
    detached: true,
    // Through a pipe and not into a file: a full disk must not swallow the reason of a failure.
    stdio: ['ignore', 'ignore', 'pipe', clusterFd],
  })
  const readOutput = collectTail(child)
  const exited = waitForExit(child)
  const onAbort = () => child.kill('SIGINT')
  signal?.addEventListener('abort', onAbort)
  try {
    await waitUntilReady(child, exited, layout, log)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw explainFailure('PostgreSQL did not start', [readOutput(), readNewLogs(), reason].join('\n'), layout)
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
  return { pid: child.pid ?? 0, exited, stop: (graceMs) => stopChild(child, exited, graceMs, log) }
}

async function waitUntilReady(child: ChildProcess, exited: Promise<Exit>, layout: Layout, log: Log): Promise<void> {
  let ended: Exit | undefined
  void exited.then((exit) => {
    ended = exit
  })
  let quietSince = performance.now()
  while (true) {
    const file = readPostmasterFile(layout)
    if (file?.pid === child.pid && file?.status === 'ready') return
    if (ended !== undefined) throw new Error(describeExit(ended))
    if (performance.now() - quietSince > TALK_EVERY_MS) {
      log.info({ status: file?.status }, 'PostgreSQL is still starting; after a crash it replays its log first')
      quietSince = performance.now()
    }
    await Promise.race([pause(POLL_MS), exited])
  }
}

async function stopChild(child: ChildProcess, exited: Promise<Exit>, graceMs: number, log: Log): Promise<void> {
  for (const { signal, waitMs } of [
    { signal: 'SIGINT', waitMs: graceMs },
    { signal: 'SIGQUIT', waitMs: QUIT_MS },
  ] as const) {
    child.kill(signal)
    const exit = await Promise.race([exited, pause(waitMs, undefined, { ref: false })])
    if (exit !== undefined) return
    log.warn({ signal, waitMs }, 'PostgreSQL did not stop in time')
  }
  child.kill('SIGKILL')
  await exited
}

function waitForExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
    // It could not even be started.
    child.once('error', () => resolve({ code: null, signal: null }))
  })
}

function collectTail(child: ChildProcess): () => string {
  let tail = ''
  child.once('error', (error) => {
    tail += error.message
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-KEPT_OUTPUT_CHARS)
  })
  return () => tail
}

export function describeExit({ code, signal }: Exit): string {
  return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`
}
