/** Combines all probes into one, which selects the right probe by the type of the target. */
import type { SecureContext } from 'node:tls'
import type { Clock } from '../lib/clock.ts'
import { Guard } from '../outgoing/guard.ts'
import type { PrivateTargets } from '../outgoing/private-targets.ts'
import { openNameServerList, openResolver } from '../outgoing/resolver.ts'
import type { Queries } from '../storage/client.ts'
import { openDnsProbe } from './probes/dns/probe.ts'
import { openDomainProbe } from './probes/domain/probe.ts'
import { openHeartbeatProbe } from './probes/heartbeat.ts'
import { openHttpProbe } from './probes/http/probe.ts'
import { openPingProbe } from './probes/ping/probe.ts'
import type { CombinedProbe, Inconclusive, ProbeResult, Target, Unchanged, Unsupported } from './probes/probe.ts'
import { openTcpProbe } from './probes/tcp.ts'
import { openTlsProbe } from './probes/tls.ts'
import { openTrafficProbe, type VisitRollup } from './probes/traffic/probe.ts'

interface Deps {
  privateTargets: PrivateTargets
  timeZone: string
  rdapUrl: string | undefined
  clock: Clock
  db: Queries
  rollup: VisitRollup
  pingPath?: string | undefined
  secureContext?: SecureContext | undefined
}

export function openCombinedProbe(deps: Deps): CombinedProbe {
  const { privateTargets, timeZone, rdapUrl, clock, db, rollup, pingPath, secureContext } = deps
  const resolver = openResolver()
  const guard = new Guard(privateTargets, { resolve: resolver.resolve })
  const http = openHttpProbe({ guard, clock, secureContext })
  const ping = openPingProbe({ guard, path: pingPath })
  const tcp = openTcpProbe({ guard })
  const dns = openDnsProbe({ guard, listSystemServers: openNameServerList() })
  const tls = openTlsProbe({ guard, clock, secureContext })
  const domain = openDomainProbe({ guard, clock, operatorUrl: rdapUrl })
  const heartbeat = openHeartbeatProbe({ clock, db, timeZone })
  const traffic = openTrafficProbe({ clock, db, rollup, checkHttp: http.check })
  async function check(target: Target): Promise<ProbeResult | Unchanged | Inconclusive | Unsupported> {
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
      case 'domain':
        return domain.check(target)
      case 'heartbeat':
        return heartbeat.check(target)
      case 'traffic':
        return traffic.check(target)
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
      domain.close()
      resolver.close()
    },
  }
}
