/** Restarts PostgreSQL when it dies. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from './log.ts'
import { describeExit, type Postmaster } from './postmaster.ts'

// The first restart is immediate, because PostgreSQL was probably killed once, for example by the OOM killer. If
// PostgreSQL ends again, the cause probably persists, so later restarts wait longer.
const RESTART_DELAYS_MS = [0, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000]
// After a run this long, the delays start from the beginning.
const HEALTHY_RUN_MS = 60_000

export interface SupervisorOptions {
  /** The running PostgreSQL. */
  postmaster: Postmaster
  /** Starts PostgreSQL again. Must stop early when the signal fires. If it throws, the supervisor logs the error and calls it again. */
  launch: (signal: AbortSignal) => Promise<Postmaster>
  /** How long a fast shutdown may take. */
  graceMs: number
  log: Log
}

export interface Supervisor {
  stop(): Promise<void>
}

export function supervise({ postmaster, launch, graceMs, log }: SupervisorOptions): Supervisor {
  const stopController = new AbortController()
  const isStopping = () => stopController.signal.aborted
  let currentPostmaster: Postmaster | undefined = postmaster
  const watchLoop = watch()

  async function watch(): Promise<void> {
    let attempt = 0
    while (currentPostmaster !== undefined) {
      const startedAt = performance.now()
      const exit = await currentPostmaster.exited
      currentPostmaster = undefined
      if (isStopping()) return
      log.error({ exit }, `PostgreSQL stopped unexpectedly: ${describeExit(exit)}; restarting it`)
      if (performance.now() - startedAt > HEALTHY_RUN_MS) attempt = 0
      while (currentPostmaster === undefined && !isStopping()) currentPostmaster = await tryLaunch(attempt++)
    }
  }

  async function tryLaunch(attempt: number): Promise<Postmaster | undefined> {
    try {
      await delay(RESTART_DELAYS_MS[attempt] ?? RESTART_DELAYS_MS.at(-1), undefined, { signal: stopController.signal })
      const nextPostmaster = await launch(stopController.signal)
      // stop() may have been called while PostgreSQL was starting.
      if (isStopping()) await nextPostmaster.stop(graceMs)
      else log.info({ pid: nextPostmaster.pid }, 'PostgreSQL is running again')
      return nextPostmaster
    } catch (error) {
      if (!isStopping()) log.error({ err: error, attempt }, 'PostgreSQL could not be restarted')
      return undefined
    }
  }

  return {
    async stop() {
      stopController.abort()
      await Promise.all([currentPostmaster?.stop(graceMs), watchLoop])
    },
  }
}
