/** Checks over HTTP/1.1. */
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import type { Guard } from '../../outgoing/guard.ts'
import { HttpCheck } from './http/check.ts'
import type { HttpTarget, Probe } from './probe.ts'
import { openCheckProbe } from './running-checks.ts'

export interface HttpProbeOptions {
  guard: Guard
  clock: Clock
  /** Contains the trusted certificate authorities. The default is Node's own list. */
  secureContext?: SecureContext
}

export function openHttpProbe(options: HttpProbeOptions): Probe<HttpTarget> {
  return openCheckProbe((target, done) => new HttpCheck(target, options, done))
}
