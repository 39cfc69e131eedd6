/** Every kind of check, chosen by the type of the target. */
import type { Clock } from '../../lib/clock.ts'
import { Guard } from '../../outgoing/guard.ts'
import type { PrivateTargets } from '../../outgoing/private-targets.ts'
import { openResolver } from '../../outgoing/resolver.ts'
import { httpProbe } from './http.ts'
import { pingProbe } from './ping.ts'
import type { OpenProbe } from './probe.ts'

export type Probes = OpenProbe

interface Needs {
  privateTargets: PrivateTargets
  clock: Clock
  pingPath?: string | undefined
}

export function openProbes({ privateTargets, clock, pingPath }: Needs): Probes {
  const resolver = openResolver()
  const guard = new Guard(privateTargets, { resolve: resolver.resolve })
  const http = httpProbe({ guard, clock })
  const ping = pingProbe({ guard, path: pingPath })
  return {
    check: (target) => (target.type === 'http' ? http.check(target) : ping.check(target)),
    close() {
      http.close()
      ping.close()
      resolver.close()
    },
  }
}
