/**
 * Runs one check and decides whether its result counts. A failure doesn't count if a problem on our side explains it.
 */
import type { SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Queries } from '../storage/client.ts'
import { filterActiveTargets } from './claim-store.ts'
import { openCombinedProbe } from './combined-probe.ts'
import { type CheckedMonitor, isUnreachable, OwnNetwork } from './own-network.ts'
import type { CombinedProbe, Inconclusive, ProbeResult, Target, Unchanged, Unsupported } from './probes/probe.ts'
import type { VisitRollup } from './probes/traffic/probe.ts'
import { StallDetector } from './stall-detector.ts'

export interface ConclusiveRun {
  result: ProbeResult
  startedAt: Date
  endedAt: Date
}

export interface UnchangedRun extends Unchanged {
  startedAt: Date
}

export type CheckRun = ConclusiveRun | UnchangedRun | Inconclusive | Unsupported

interface Deps {
  config: Pick<Config, 'reachabilityTargets' | 'privateTargets' | 'rdapUrl' | 'timeZone'>
  clock: Clock
  db: Queries
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

  /** One sentence for each problem on our side that prevents checks from counting. */
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
