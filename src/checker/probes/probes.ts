/** Combines all probes into one, which selects the right probe by the type of the target. */
import type { Clock } from '../../lib/clock.ts'
import { Guard } from '../../outgoing/guard.ts'
import type { PrivateTargets } from '../../outgoing/private-targets.ts'
import { openNameServerList, openResolver } from '../../outgoing/resolver.ts'
import { openDnsProbe } from './dns.ts'
import { openHttpProbe } from './http.ts'
import { openPingProbe } from './ping.ts'
import type { Inconclusive, Probe, ProbeResult, Target, Unsupported } from './probe.ts'
import { openTcpProbe } from './tcp.ts'
import { openTlsProbe } from './tls.ts'

interface Deps {
  privateTargets: PrivateTargets
  clock: Clock
  pingPath?: string | undefined
}

export function openCombinedProbe({ privateTargets, clock, pingPath }: Deps): Probe {
  const resolver = openResolver()
  const guard = new Guard(privateTargets, { resolve: resolver.resolve })
  const http = openHttpProbe({ guard, clock })
  const ping = openPingProbe({ guard, path: pingPath })
  const tcp = openTcpProbe({ guard })
  const dns = openDnsProbe({ guard, listSystemServers: openNameServerList() })
  const tls = openTlsProbe({ guard, clock })
  async function check(target: Target): Promise<ProbeResult | Inconclusive | Unsupported> {
    switch (target.type) {
      case 'http':
        return http.check(target)
      case 'ping':
        return ping.check(target)
      case 'tcp':
        return tcp.check(target)
      case 'dns':
        return dns.check(target)
      case 'tls':
        return tls.check(target)
      default:
        return { unsupported: `Type ${target.type} is not supported yet` }
    }
  }

  return {
    check,
    close() {
      http.close()
      ping.close()
      tcp.close()
      dns.close()
      tls.close()
      resolver.close()
    },
  }
}
