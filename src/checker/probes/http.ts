/** Checks over HTTP/1.1. */
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import type { Guard } from '../../outgoing/guard.ts'
import { HttpCheck } from './http/check.ts'
import type { HttpTarget, OpenProbe } from './probe.ts'

export interface HttpProbeOptions {
  guard: Guard
  clock: Clock
  /** Whose certificates are trusted; Node's own list unless said otherwise. */
  secureContext?: SecureContext
}

export function httpProbe(options: HttpProbeOptions): OpenProbe<HttpTarget> {
  // What is under way, in places that are used again. A Set would do, but keeps what was in it alive for so long that
  // collecting it costs 2 µs a check.
  const running: (HttpCheck | undefined)[] = []
  const free: number[] = []
  return {
    check: (target) =>
      new Promise((resolve, reject) => {
        const place = free.pop() ?? running.length
        const check = new HttpCheck(target, options, (error, finding) => {
          running[place] = undefined
          free.push(place)
          if (error === undefined) resolve(finding)
          else reject(error)
        })
        running[place] = check
        check.start()
      }),
    close() {
      for (const check of running) check?.stop()
    },
  }
}
