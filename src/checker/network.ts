/**
 * Whether our own network works. Canaries decide where there are any. Otherwise it is down only when checks of at least five
 * unrelated hosts, and nearly all that ran, reached nothing; where too few ran to know, some that answered lately are asked
 * again. Any answer proves the network.
 */
import type { Logger } from 'pino'
import type { Cause } from '../incidents/causes.ts'
import { type Canary, reachesAny } from './canaries.ts'
import { countUnrelated, type Kin, kinOf } from './kinship.ts'
import type { Finding, Probe, Target } from './probes/probe.ts'

const LEAST_UNRELATED = 5
/** Something in our own rack may still answer. */
const NEARLY_ALL = 0.9
/** Failures of the last so many milliseconds, and at most so many of them. */
const REMEMBER_MS = 60_000
const REMEMBER_MOST = 500
const WITNESSES_MOST = 32
/** Asked at first, and then as well where these say nothing. */
const FEW_WITNESSES = 2
const MANY_WITNESSES = 8
const WITNESS_TIMEOUT_MS = 5_000
/** While we are blind. */
const LOOK_AGAIN_MS = 2_000
/** When there are enough, others are looked at so often at most: it takes microseconds, and there are thousands a second. */
const WITNESS_EVERY_MS = 20

/** What says that a target was not reached. What refuses a name or a connection may stand on this side as well. */
const unreached: readonly Cause[] = ['dns', 'connect', 'timeout', 'ping']

export const isUnreached = ({ failure, answered }: Finding) =>
  failure !== null && !answered && unreached.includes(failure.cause)

interface Needs {
  canaries: readonly Canary[]
  probe: Probe
  log: Logger
}

export class Network {
  readonly #needs: Needs
  #blindBecause: string | undefined
  #lookAgain: NodeJS.Timeout | undefined
  /** Of `performance.now`. */
  #failures: { kin: Kin; at: number }[] = []
  #answers: number[] = []
  /** Targets that answered, by their domain; whoever answered last stands last. */
  readonly #witnesses = new Map<string, { target: Target; kin: Kin }>()
  #lastWitness = { at: 0, origin: 'none' }
  #opinion: Promise<void> | undefined
  #reaching: { at: number; result: Promise<boolean> } | undefined

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** Why we see nothing, in words; undefined as long as we do. */
  get complaint(): string | undefined {
    return this.#blindBecause
  }

  noteAnswer(target: Target, { address }: Finding): void {
    const now = performance.now()
    if (this.#answers.push(now) > REMEMBER_MOST) this.#answers = this.#answers.slice(-REMEMBER_MOST / 2)
    const isEnough = this.#witnesses.size >= MANY_WITNESSES && now - this.#lastWitness.at < WITNESS_EVERY_MS
    if (isEnough || target.url.startsWith(this.#lastWitness.origin) || !isHarmless(target)) return
    this.#lastWitness = { at: now, origin: URL.parse(target.url)?.origin ?? target.url }
    const kin = kinOf(target, address)
    this.#witnesses.delete(kin.domain)
    this.#witnesses.set(kin.domain, { target, kin })
    if (this.#witnesses.size > WITNESSES_MOST) this.#witnesses.delete(this.#witnesses.keys().next().value as string)
  }

  /** Whether a check that reached nothing did so because of us. `begun`: when it began, of `performance.now`. */
  async isOurFault(target: Target, { address }: Finding, begun: number): Promise<boolean> {
    const { canaries } = this.#needs
    if (this.#blindBecause !== undefined) return true
    const kin = kinOf(target, address)
    this.#noteFailure(kin)
    if (canaries.length > 0) {
      if (!(await this.#reachesCanaries())) this.#lose('None of BELFRY_CANARIES can be reached.')
    } else {
      // Witnesses that somebody else asks may have answered before this check began.
      await this.#opinion
      if (this.#judge(begun) === 'unclear') await this.#askWitnesses(kin, begun)
      if (this.#judge(begun) === 'blind') this.#lose('Nearly nothing that is checked can be reached.')
    }
    return this.#blindBecause !== undefined
  }

  stop(): void {
    clearTimeout(this.#lookAgain)
  }

  #noteFailure(kin: Kin): void {
    const now = performance.now()
    this.#failures.push({ kin, at: now })
    if (this.#failures.length > REMEMBER_MOST) this.#failures = this.#failures.slice(-REMEMBER_MOST / 2)
  }

  /** By what ended since the check began: that is when the network would have had to work. */
  #judge(begun: number): 'sees' | 'blind' | 'unclear' {
    const since = Math.max(begun, performance.now() - REMEMBER_MS)
    const failed = this.#failures.filter(({ at }) => at >= since)
    const answered = this.#answers.filter((at) => at >= since).length
    if (failed.length / (failed.length + answered) < NEARLY_ALL) return 'sees'
    return countUnrelated(failed.map(({ kin }) => kin)) >= LEAST_UNRELATED ? 'blind' : 'unclear'
  }

  #askWitnesses(about: Kin, begun: number): Promise<void> {
    this.#opinion ??= this.#askSome(about, begun).finally(() => {
      this.#opinion = undefined
    })
    return this.#opinion
  }

  /** A few at first: one answer is enough, and these are other people's servers. */
  async #askSome(about: Kin, begun: number): Promise<void> {
    const unrelated = [...this.#witnesses.values()].filter(({ kin }) => countUnrelated([about, kin]) === 2).reverse()
    if (unrelated.length + 1 < LEAST_UNRELATED) return
    for (const some of [unrelated.slice(0, FEW_WITNESSES), unrelated.slice(FEW_WITNESSES, MANY_WITNESSES)]) {
      await Promise.all(some.map((witness) => this.#ask(witness)))
      if (this.#judge(begun) !== 'unclear') return
    }
  }

  /** Whether it answered. */
  async #ask({ target, kin }: { target: Target; kin: Kin }): Promise<boolean> {
    const finding = await this.#needs.probe({ ...target, timeoutMs: WITNESS_TIMEOUT_MS })
    if ('unable' in finding) return false
    if (finding.answered) this.noteAnswer(target, finding)
    else if (isUnreached(finding)) this.#noteFailure(kin)
    return finding.answered
  }

  /** Failures of the same moment share one look. */
  #reachesCanaries(): Promise<boolean> {
    if (this.#reaching === undefined || performance.now() - this.#reaching.at > 500) {
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
    clearTimeout(this.#lookAgain)
    this.#failures = []
    this.#needs.log.info('our own network is back')
  }

  #lookLater(): void {
    this.#lookAgain = setTimeout(async () => {
      if (await this.#looksBack()) this.#see()
      else this.#lookLater()
    }, LOOK_AGAIN_MS).unref()
  }

  async #looksBack(): Promise<boolean> {
    const { canaries } = this.#needs
    if (canaries.length > 0) return reachesAny(canaries)
    const asked = [...this.#witnesses.values()].slice(-MANY_WITNESSES)
    const answers = await Promise.all(asked.map((one) => this.#ask(one)))
    return answers.filter(Boolean).length > asked.length * (1 - NEARLY_ALL)
  }
}

/** Asking once more changes nothing there. */
function isHarmless({ type, http }: Target): boolean {
  return type === 'ping' || http.method === 'GET' || http.method === 'HEAD'
}
