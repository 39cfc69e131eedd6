/** Checks over HTTP/1.1. */
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import type { Guard } from '../../outgoing/guard.ts'
import { HttpCheck } from './http/check.ts'
import type { HttpTarget, Probe } from './probe.ts'

export interface HttpProbeOptions {
  guard: Guard
  clock: Clock
  /** Contains the trusted certificate authorities. The default is Node's own list. */
  secureContext?: SecureContext
}

export function openHttpProbe(options: HttpProbeOptions): Probe<HttpTarget> {
  // An array with reused slots. A Set would be simpler, but it keeps removed checks reachable for longer, and their
  // garbage collection costs 2 µs per check.
  const runningChecks: (HttpCheck | undefined)[] = []
  const freeSlots: number[] = []
  return {
    check: (target) =>
      new Promise((resolve, reject) => {
        const slot = freeSlots.pop() ?? runningChecks.length
        const check = new HttpCheck(target, options, (error, result) => {
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
