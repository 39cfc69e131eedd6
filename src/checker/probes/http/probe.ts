/** Runs HTTP checks, over HTTP/1.1. */
import type { SecureContext } from 'node:tls'
import type { Clock } from '../../../lib/clock.ts'
import type { Guard } from '../../../outgoing/guard.ts'
import type { HttpTarget, Probe } from '../probe.ts'
import { openCheckProbe } from '../running-checks.ts'
import { HttpCheck } from './check.ts'
import { JsonTester } from './json/tester.ts'

export interface HttpProbeOptions {
  guard: Guard
  clock: Clock
  /** Contains the trusted certificate authorities. The default is Node's own list. */
  secureContext?: SecureContext | undefined
  /** How much CPU time the JSON assertions of a check can take. */
  maxJsonCpuMs?: number
}

export function openHttpProbe(options: HttpProbeOptions): Probe<HttpTarget> {
  const jsonTester = new JsonTester(options.maxJsonCpuMs)
  const deps = { ...options, jsonTester }
  const probe = openCheckProbe<HttpTarget>((target, done) => new HttpCheck(target, deps, done))
  return {
    check: probe.check,
    close() {
      probe.close()
      jsonTester.close()
    },
  }
}
