/** Notices when this node can't keep up: its checks have started late for a while, and still do. */
import type { Logger } from 'pino'
import type { CheckSlots } from './probes/check-slots.ts'

const PERIOD_MS = 10_000
const LATE_AFTER_MS = 5_000
/** With fewer late checks, the node keeps up, and single monitors have a problem of their own. */
const MIN_LATE_SHARE = 0.05
/** Lateness is reported after this many late periods in succession. Catching up after a start or an outage takes less than a minute. */
const REPORTED_AFTER_PERIODS = 6
/** Even one user's checks can hold four fifths of all slots. */
const SLOTS_USED_UP_SHARE = 0.8

interface Deps {
  log: Pick<Logger, 'info' | 'warn'>
  slots: Pick<CheckSlots, 'freeCount' | 'heldCount'>
  /** Returns milliseconds of a monotonic clock. */
  now?: () => number
}

const createPeriod = (startedAt: number) => ({ endsAt: startedAt + PERIOD_MS, startCount: 0, lateCount: 0, maxMs: 0 })

export class LatenessWatch {
  readonly #log: Deps['log']
  readonly #slots: Deps['slots']
  readonly #now: () => number
  readonly #createdAt: number
  #period: ReturnType<typeof createPeriod>
  #latePeriodCount = 0
  /** The greatest lateness of the last complete period. */
  #maxMs = 0

  constructor({ log, slots, now = () => performance.now() }: Deps) {
    this.#log = log
    this.#slots = slots
    this.#now = now
    this.#createdAt = now()
    this.#period = createPeriod(this.#createdAt)
  }

  recordStart(latenessMs: number): void {
    const now = this.#now()
    this.#endPeriods(now)
    const period = this.#period
    period.startCount++
    if (latenessMs <= LATE_AFTER_MS) return
    period.lateCount++
    // Nobody ran the checks before this process started, so that time says nothing about this node.
    period.maxMs = Math.max(period.maxMs, Math.min(latenessMs, now - this.#createdAt))
  }

  /** Says how late checks start, and what to do; undefined while they start in time. */
  get message(): string | undefined {
    this.#endPeriods(this.#now())
    if (!this.#isReported) return undefined
    const lateText = `Checks start up to ${Math.round(this.#maxMs / 1_000)} s late`
    const { freeCount, heldCount } = this.#slots
    if (heldCount >= SLOTS_USED_UP_SHARE * (freeCount + heldCount))
      return `${lateText}: ${heldCount} checks are waiting for slow targets. Set shorter timeouts, check less often, or start another node with the role checker.`
    return `${lateText}: this node is too busy. Give it and PostgreSQL more CPU time, start another node with the role checker, or check less often.`
  }

  get #isReported(): boolean {
    return this.#latePeriodCount >= REPORTED_AFTER_PERIODS
  }

  #endPeriods(now: number): void {
    if (now < this.#period.endsAt) return
    const { startCount, lateCount, maxMs, endsAt } = this.#period
    // While no check starts, none starts late.
    const isFollowedByIdlePeriod = now >= endsAt + PERIOD_MS
    const isLate = lateCount > 0 && lateCount >= MIN_LATE_SHARE * startCount && !isFollowedByIdlePeriod
    const wasReported = this.#isReported
    this.#latePeriodCount = isLate ? this.#latePeriodCount + 1 : 0
    this.#maxMs = maxMs
    this.#period = createPeriod(now)
    if (this.#isReported && !wasReported)
      this.#log.warn({ ms: Math.round(maxMs) }, 'checks start late: this node cannot keep up')
    if (wasReported && !this.#isReported) this.#log.info('checks start in time again')
  }
}
