/** Does one check and says what it means, or that it means nothing because the fault is ours. */
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { Clock } from '../lib/clock.ts'
import type { Queries } from '../storage/client.ts'
import { keepActive } from './claim-store.ts'
import { isUnreached, Network } from './network.ts'
import type { Finding, Target } from './probes/probe.ts'
import { openProbes, type Probes } from './probes/probes.ts'
import { Stalls } from './stalls.ts'
import type { MonitorKey } from './witnesses.ts'

/** What a check came to; `unknown` and `unable` say why nothing is known. */
export type Outcome = { finding: Finding; begun: Date; ended: Date } | { unknown: string } | { unable: string }

interface Needs {
  config: Pick<Config, 'canaries' | 'privateTargets'>
  clock: Clock
  db: Queries
  log: Logger
  /** Where the commands that ping are looked for. */
  pingPath?: string | undefined
}

export class Examiner {
  readonly #clock: Clock
  readonly #log: Logger
  readonly #probes: Probes
  readonly #stalls: Stalls
  readonly #network: Network

  constructor({ config, clock, db, log, pingPath }: Needs) {
    this.#clock = clock
    this.#log = log
    this.#probes = openProbes({ privateTargets: config.privateTargets, clock, pingPath })
    this.#stalls = new Stalls(log)
    this.#network = new Network({
      canaries: config.canaries,
      probe: (target) => this.#probe(target),
      log,
      // While the database is away nobody is asked who may not want it any more.
      keepActive: (witnesses) => keepActive(db, witnesses).catch(() => []),
    })
    this.#stalls.start()
  }

  /** Our own network is down. */
  isBlind(): boolean {
    return this.#network.complaint !== undefined
  }

  /** What of ours keeps checks from counting. */
  get complaints(): string[] {
    return [this.#network.complaint, this.#stalls.complaint].filter((one) => one !== undefined)
  }

  /** `monitor`: whose target it is; undefined where it is only tried out. */
  async examine(target: Target, monitor?: MonitorKey): Promise<Outcome> {
    const begun = this.#clock.now()
    const started = performance.now()
    const finding = await this.#probe(target)
    const ended = new Date(begun.getTime() + Math.round(performance.now() - started))
    if ('unable' in finding || 'unknown' in finding) return finding
    if (finding.answered) this.#network.noteAnswer(target, finding, monitor)
    if (finding.failure !== null && this.#stalls.stoodStillSince(started)) {
      return { unknown: this.#stalls.complaint ?? 'This process stood still.' }
    }
    if (isUnreached(finding) && (await this.#network.isOurFault(target, finding, started))) {
      return { unknown: this.#network.complaint ?? 'Our own network seemed to be down.' }
    }
    return { finding, begun, ended }
  }

  /** What goes wrong in a probe is our bug, and concerns this one check alone. */
  async #probe(target: Target): ReturnType<Probes['check']> {
    try {
      return await this.#probes.check(target)
    } catch (error) {
      this.#log.error({ err: error, type: target.type }, 'a check failed in itself')
      return { unknown: 'This server could not do the check; its log says more.' }
    }
  }

  stop(): void {
    this.#stalls.stop()
    this.#network.stop()
    this.#probes.close()
  }
}
