/** Checks over HTTP/1.1. */
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import type { Guard } from '../../lib/outgoing/guard.ts'
import { HttpCheck } from './http/check.ts'
import type { HttpTarget, OpenProbe } from './probe.ts'

export interface HttpProbeOptions {
  guard: Guard
  clock: Clock
  /** Whose certificates are trusted; Node's own list unless said otherwise. */
  secureContext?: SecureContext
}

export function httpProbe(options: HttpProbeOptions): OpenProbe<HttpTarget> {
  const running = new Set<HttpCheck>()
  return {
    check: (target) =>
      new Promise((resolve, reject) => {
        const check = new HttpCheck(target, options, (error, finding) => {
          running.delete(check)
          if (error === undefined) resolve(finding)
          else reject(error)
        })
        running.add(check)
        check.start()
      }),
    close() {
      for (const check of running) check.stop()
    },
  }
}
