/** Every kind of check, chosen by the type of the target. */
import type { Clock } from '../../lib/clock.ts'
import { Guard } from '../../lib/outgoing/guard.ts'
import type { PrivateTargets } from '../../lib/outgoing/private-targets.ts'
import { httpProbe } from './http.ts'
import type { Finding, Target, Unable } from './probe.ts'

export interface Probes {
  check(target: Target): Promise<Finding | Unable>
  close(): void
}

export function openProbes({ privateTargets, clock }: { privateTargets: PrivateTargets; clock: Clock }): Probes {
  const http = httpProbe({ guard: new Guard(privateTargets), clock })
  return {
    check: (target) => (target.type === 'http' ? http.check(target) : Promise.resolve({ unable: 'not yet' })),
    close: () => http.close(),
  }
}
