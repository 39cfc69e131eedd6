/**
 * Whether our own network works. Canaries decide where there are any. Otherwise it is down only when checks of at least five
 * unrelated hosts, and nearly all that ran, reached nothing, and some that answered lately do not answer when they are asked
 * again: any answer proves the network.
 */
import type { Logger } from 'pino'
import type { Cause } from '../shared/causes.ts'
import { type Canary, reachesAny } from './canaries.ts'
import { Evidence, enoughToKnow } from './evidence.ts'
import { type Kin, kinOf } from './kinship.ts'
import type { Finding, Probe, Target } from './probes/probe.ts'
import { type MonitorKey, type Witness, Witnesses } from './witnesses.ts'

/** Asked at first, and then so many more where these say nothing. */
const FEW_WITNESSES = 2
const MANY_WITNESSES = 8
const WITNESS_TIMEOUT_MS = 5_000
/** While we are blind. */
const LOOK_AGAIN_MS = 2_000
/** What answered so shortly before a failure speaks for the network; earlier it may have worked still. */
const RECENT_MS = 1_000
/** Failures of the same moment share one look at the canaries. */
const CANARIES_MS = 500

const unreached: readonly Cause[] = ['dns', 'connect', 'timeout', 'ping']

/** What may be the fault of a network, theirs or ours. */
export const isUnreached = ({ failure, answered }: Finding) =>
  failure !== null && !answered && unreached.includes(failure.cause)

interface Needs {
  canaries: readonly Canary[]
  probe: Probe
  log: Logger
  /** Those of them whose monitors are still there, active, and at the same address. */
  keepActive(witnesses: Witness[]): Promise<Witness[]>
}

export class Network {
  readonly #needs: Needs
  readonly #evidence = new Evidence()
  readonly #witnesses = new Witnesses()
  #blindBecause: string | undefined
  /** What began before did so blindly. */
  #sawAgainAt = Number.NEGATIVE_INFINITY
  #lookAgain: NodeJS.Timeout | undefined
  #isStopped = false
  #opinion: Promise<void> | undefined
  #reaching: { at: number; result: Promise<boolean> } | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Why we see nothing, in words; undefined as long as we do. */
  get complaint(): string | undefined {
    return this.#blindBecause
  }

  /** `monitor`: whose target it is; what is only tried out is not asked again. */
  noteAnswer(target: Target, { address }: Finding, monitor?: MonitorKey): void {
    const now = performance.now()
    this.#evidence.noteAnswer(now)
    if (monitor !== undefined) this.#witnesses.add(monitor, target, address, now)
    if (this.#blindBecause !== undefined && this.#needs.canaries.length === 0) this.#see()
  }

  /** Whether a check that reached nothing did so because of us. `begun`: when it began, of `performance.now`. */
  async isOurFault(target: Target, { address }: Finding, begun: number): Promise<boolean> {
    const kin = kinOf(target, address)
    const now = performance.now()
    this.#evidence.noteFailure(kin, now)
    if (this.#blindBecause !== undefined || begun < this.#sawAgainAt) return true
    await this.#judge(kin, Math.max(begun, now - RECENT_MS))
    if (this.#blindBecause !== undefined) return true
    this.#witnesses.remove(kin)
    return false
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#lookAgain)
  }

  /** By what ended since then: shortly before the failure, and not before its check began. */
  async #judge(kin: Kin, since: number): Promise<void> {
    if (this.#needs.canaries.length > 0) {
      if (!(await this.#reachesCanaries())) this.#lose('None of BELFRY_CANARIES can be reached.')
      return
    }
    // Witnesses that somebody else asks may have answered before.
    await this.#opinion
    const judged = () => this.#evidence.judge(since, performance.now())
    // Before we call ourselves blind as well: many dead targets of one user must not hide those of others.
    if (judged() === 'sees') return
    this.#opinion ??= this.#askWitnesses(kin, judged() === 'blind').finally(() => {
      this.#opinion = undefined
    })
    await this.#opinion
    if (judged() === 'blind' && !this.#evidence.hasAnswer(since)) this.#lose('Nothing that is checked can be reached.')
  }

  /** A few at first: one answer is enough, and these are other people's servers. */
  async #askWitnesses(about: Kin, isLikely: boolean): Promise<void> {
    const begun = performance.now()
    const unrelated = this.#witnesses.unrelatedTo(about, begun)
    if (!isLikely && !enoughToKnow(unrelated.length + 1)) return
    const asked = await this.#needs.keepActive(unrelated.slice(0, MANY_WITNESSES))
    for (const some of [asked.slice(0, FEW_WITNESSES), asked.slice(FEW_WITNESSES)]) {
      await Promise.all(some.map((witness) => this.#ask(witness)))
      if (this.#evidence.hasAnswer(begun)) return
    }
  }

  async #ask({ monitor, target, kin }: Witness): Promise<void> {
    const finding = await this.#needs.probe({ ...target, timeoutMs: WITNESS_TIMEOUT_MS })
    if (!('answered' in finding)) return
    if (finding.answered) this.noteAnswer(target, finding, monitor)
    else if (isUnreached(finding)) this.#evidence.noteFailure(kin, performance.now())
  }

  #reachesCanaries(): Promise<boolean> {
    if (this.#reaching === undefined || performance.now() - this.#reaching.at > CANARIES_MS) {
      this.#reaching = { at: performance.now(), result: reachesAny(this.#needs.canaries) }
    }
    return this.#reaching.result
  }

  #lose(because: string): void {
    if (this.#blindBecause !== undefined) return
    this.#blindBecause = `${because} Our own network seems to be down: nothing is judged until it is back.`
    this.#needs.log.error({ reason: because }, 'our own network seems to be down: checks do not count until it is back')
    this.#lookLater()
  }

  #see(): void {
    this.#blindBecause = undefined
    this.#sawAgainAt = performance.now()
    clearTimeout(this.#lookAgain)
    this.#evidence.forget()
    this.#needs.log.info('our own network is back')
  }

  #lookLater(): void {
    this.#lookAgain = setTimeout(() => void this.#look(), LOOK_AGAIN_MS).unref()
  }

  async #look(): Promise<void> {
    const { canaries } = this.#needs
    if (canaries.length === 0) {
      const asked = await this.#needs.keepActive(this.#witnesses.latest(performance.now()).slice(0, MANY_WITNESSES))
      await Promise.all(asked.map((witness) => this.#ask(witness)))
    } else if (await reachesAny(canaries)) this.#see()
    if (this.#blindBecause !== undefined && !this.#isStopped) this.#lookLater()
  }
}
