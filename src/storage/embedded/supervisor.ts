/** Keeps PostgreSQL running while Belfry lives. */

import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from './log.ts'
import { describeExit, type Postmaster } from './postmaster.ts'

// At once the first time, as it is most likely killed by hand or for memory; then slower, as it is likely a lasting cause.
const PAUSES_MS = [0, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000]
// A run this long counts as healthy: the pauses begin anew.
const HEALTHY_MS = 60_000

export interface Supervision {
  first: Postmaster
  /** stops early when its signal fires; what it throws is logged, and it is called again */
  launch: (signal: AbortSignal) => Promise<Postmaster>
  /** how long a fast shutdown may take */
  graceMs: number
  log: Log
}

export interface Supervisor {
  stop(): Promise<void>
}

export function supervise({ first, launch, graceMs, log }: Supervision): Supervisor {
  const stopping = new AbortController()
  const isStopping = () => stopping.signal.aborted
  let current: Postmaster | undefined = first
  const watching = watch()

  async function watch(): Promise<void> {
    let attempt = 0
    while (current !== undefined) {
      const since = performance.now()
      const exit = await current.exited
      current = undefined
      if (isStopping()) return
      log.error({ exit }, `PostgreSQL stopped unexpectedly: ${describeExit(exit)}; starting it again`)
      if (performance.now() - since > HEALTHY_MS) attempt = 0
      while (current === undefined && !isStopping()) current = await tryLaunch(attempt++)
    }
  }

  async function tryLaunch(attempt: number): Promise<Postmaster | undefined> {
    try {
      await pause(PAUSES_MS[attempt] ?? PAUSES_MS.at(-1), undefined, { signal: stopping.signal })
      const next = await launch(stopping.signal)
      // It may become ready in the very moment it is no longer wanted.
      if (isStopping()) await next.stop(graceMs)
      else log.info({ pid: next.pid }, 'PostgreSQL is back')
      return next
    } catch (error) {
      if (!isStopping()) log.error({ err: error, attempt }, 'PostgreSQL could not be started again')
      return undefined
    }
  }

  return {
    async stop() {
      stopping.abort()
      await Promise.all([current?.stop(graceMs), watching])
    },
  }
}
