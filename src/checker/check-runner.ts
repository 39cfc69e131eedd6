/**
 * Runs one check and decides whether its result counts. A failure doesn't count if a problem on our side explains it.
 */
import type { SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import { Guard } from '../outgoing/guard.ts'
import type { PrivateTargets } from '../outgoing/private-targets.ts'
import { openNameServerList, openResolver } from '../outgoing/resolver.ts'
import type { Database } from '../storage/database.ts'
import { filterActiveTargets } from './claim-store.ts'
import { type CheckedMonitor, isUnreachable, OwnNetwork } from './own-network.ts'
import { openDnsProbe } from './probes/dns/probe.ts'
import { openDomainProbe } from './probes/domain/probe.ts'
import { openHeartbeatProbe } from './probes/heartbeat.ts'
import { openHttpProbe } from './probes/http/probe.ts'
import { openPingProbe } from './probes/ping/probe.ts'
import type { CombinedProbe, Inconclusive, ProbeResult, Target, Unchanged, Unsupported } from './probes/probe.ts'
import { openTcpProbe } from './probes/tcp.ts'
import { openTlsProbe } from './probes/tls.ts'
import { openTrafficProbe, type VisitRollup } from './probes/traffic/probe.ts'
import { StallDetector } from './stall-detector.ts'
import type { ConclusiveRun, UnchangedRun } from './verdict.ts'

export type CheckRun = ConclusiveRun | UnchangedRun | Inconclusive | Unsupported

interface Deps {
  config: Pick<Config, 'reachabilityTargets' | 'privateTargets' | 'rdapUrl' | 'timeZone'>
  clock: Clock
  db: Database
  log: Logger
  rollup: VisitRollup
  /** Folders to search for the ping commands, in the format of $PATH. */
  pingPath?: string | undefined
  /** Contains the certificate authorities that checks trust. The default is Node's own list. */
  secureContext?: SecureContext | undefined
}

const isMissing = ({ failure }: ProbeResult) => failure?.cause === 'heartbeat_missed' || failure?.cause === 'silence'

export class CheckRunner {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #combinedProbe: CombinedProbe
  readonly #stallDetector: StallDetector
  readonly #network: OwnNetwork

  constructor({ config, clock, db, log, rollup, pingPath, secureContext }: Deps) {
    this.#clock = clock
    this.#log = log
    this.#combinedProbe = openCombinedProbe({ ...config, clock, db, rollup, pingPath, secureContext })
    this.#stallDetector = new StallDetector(log)
    this.#network = new OwnNetwork({
      reachabilityTargets: config.reachabilityTargets,
      probe: (target) => this.#probe(target),
      log,
      // To test our own network, `OwnNetwork` probes targets of monitors that recently responded. While the database is
      // unavailable, we can't know which of these monitors still exist, so it probes none.
      filterActiveTargets: (targets) => filterActiveTargets(db, targets).catch(() => []),
    })
    this.#stallDetector.start()
  }

  isOffline(): boolean {
    return this.#network.offlineReason !== undefined
  }

  /** The current problems on our side, one sentence each. Failed checks don't count if such a problem explains them. */
  get degradedReasons(): string[] {
    return [this.#network.offlineReason, this.#stallDetector.recentStallMessage].filter(
      (reason) => reason !== undefined,
    )
  }

  /** `monitor` is undefined for a trial check, whose result is not recorded. */
  async run(target: Target, monitor?: CheckedMonitor): Promise<CheckRun> {
    const startedAt = this.#clock.now()
    const monotonicStart = performance.now()
    const result = await this.#probe(target)
    const endedAt = new Date(startedAt.getTime() + Math.round(performance.now() - monotonicStart))
    if ('unsupported' in result || 'inconclusive' in result) return result
    if ('unchanged' in result) return { ...result, startedAt }
    if (result.responded) this.#network.recordResponse(target, result, monitor)
    if (result.failure !== null && this.#stallDetector.hasStalledSince(monotonicStart)) {
      return {
        inconclusive: this.#stallDetector.recentStallMessage ?? 'The Belfry server was stalled during the check.',
      }
    }
    // Beats and visits don't reach us either while our own network is down.
    if (isMissing(result) && this.#network.offlineReason !== undefined)
      return { inconclusive: this.#network.offlineReason }
    const contact = result.traffic?.silence?.page ?? result
    if (isUnreachable(contact)) {
      const isCausedByUs = await this.#network.recordFailure(target, contact, monotonicStart, monitor)
      if (isCausedByUs)
        return { inconclusive: this.#network.offlineReason ?? 'The network of the Belfry server seemed to be down.' }
    }
    return { result, startedAt, endedAt }
  }

  /** An exception in a probe is our bug. It must not affect other checks. */
  async #probe(target: Target): Promise<ProbeResult | Unchanged | Inconclusive | Unsupported> {
    try {
      return await this.#combinedProbe.check(target)
    } catch (error) {
      this.#log.error({ err: error, type: target.type }, 'a probe threw an error')
      return { inconclusive: "Check couldn't run: problem on the Belfry server. Its log has the details." }
    }
  }

  stop(): void {
    this.#stallDetector.stop()
    this.#network.stop()
    this.#combinedProbe.close()
  }
}

interface ProbeDeps {
  privateTargets: PrivateTargets
  timeZone: string
  rdapUrl: string | undefined
  clock: Clock
  db: Database
  rollup: VisitRollup
  pingPath?: string | undefined
  secureContext?: SecureContext | undefined
}

/** Combines all probes into one, which selects the right probe by the type of the target. */
function openCombinedProbe(deps: ProbeDeps): CombinedProbe {
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
