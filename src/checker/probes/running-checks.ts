/** Runs checks that report their result through a callback, and stops all of them when the probe closes. */
import type { Inconclusive, Probe, ProbeResult, Target } from './probe.ts'

/** Called once at the end of a check. `error` is set if our own code threw, which is a bug. Then the result doesn't count. */
export type CheckDone = (error: Error | undefined, result: ProbeResult | Inconclusive) => void

export interface RunningCheck {
  start(): void
  /** Ends the check as inconclusive. */
  stop(): void
}

export function openCheckProbe<T extends Target>(createCheck: (target: T, done: CheckDone) => RunningCheck): Probe<T> {
  // An array with reused slots. A Set would be simpler, but it keeps removed checks reachable for longer, and their
  // garbage collection costs 2 µs per check.
  const runningChecks: (RunningCheck | undefined)[] = []
  const freeSlots: number[] = []
  return {
    check: (target) =>
      new Promise((resolve, reject) => {
        const slot = freeSlots.pop() ?? runningChecks.length
        const check = createCheck(target, (error, result) => {
          runningChecks[slot] = undefined
          freeSlots.push(slot)
          if (error === undefined) resolve(result)
          else reject(error)
        })
        runningChecks[slot] = check
        check.start()
      }),
    close() {
      for (const check of runningChecks) check?.stop()
    },
  }
}
