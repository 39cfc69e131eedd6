/** Notices when this node can't keep up: its checks have started late for a while, and still do. */
import type { Logger } from 'pino'

const PERIOD_MS = 10_000
const LATE_AFTER_MS = 5_000
/** A smaller share of late checks is not treated as overload. */
const MIN_LATE_SHARE = 0.05
/** Lateness is reported after this many late periods in succession. Catching up after a start or an outage takes about a minute. */
const REPORTED_AFTER_PERIODS = 9
/** If running checks use more than this share of the slots, slow targets cause the lateness. The checks of one user can use 0.8 of the slots. */
const MANY_RUNNING_SHARE = 0.6

interface Deps {
  log: Pick<Logger, 'info' | 'warn'>
  countRunning(): number
  maxRunning: number
  /** Whether overdue checks wait to be claimed. */
  hasBacklog(): boolean
  /** Returns milliseconds of a monotonic clock. */
  now?: () => number
}

const createPeriod = (startedAt: number) => ({ endsAt: startedAt + PERIOD_MS, startCount: 0, lateCount: 0, maxMs: 0 })

export class LatenessDetector {
  readonly #deps: Deps
  readonly #now: () => number
  /** When this node became able to run checks. Time before that doesn't count as lateness. */
  #ableSince: number
  #period: ReturnType<typeof createPeriod>
  #latePeriodCount = 0
  /** The greatest lateness in the last of the late periods in which checks started. 0 if there is none. */
  #maxMs = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#now = deps.now ?? (() => performance.now())
    this.#ableSince = this.#now()
    this.#period = createPeriod(this.#ableSince)
  }

  /** Starts anew. Call it while this node runs no checks for another reason. */
  reset(): void {
    this.#ableSince = this.#now()
    this.#period = createPeriod(this.#ableSince)
    this.#setLatePeriodCount(0)
  }

  recordStart(latenessMs: number): void {
    const now = this.#now()
    this.#endPeriods(now)
    const period = this.#period
    const countedMs = Math.min(latenessMs, now - this.#ableSince)
    period.startCount++
    if (countedMs <= LATE_AFTER_MS) return
    period.lateCount++
    period.maxMs = Math.max(period.maxMs, countedMs)
  }

  /** How late checks start, and what to do. Undefined until checks have been late for 90 s. */
  get message(): string | undefined {
    this.#endPeriods(this.#now())
    return this.#isReported ? this.#formatMessage() : undefined
  }

  get #isReported(): boolean {
    return this.#latePeriodCount >= REPORTED_AFTER_PERIODS
  }

  #formatMessage(): string {
    const lateText =
      this.#maxMs > 0
        ? `Checks start up to ${Math.round(this.#maxMs / 1_000)} s late`
        : 'No checks start, although some are due'
    const runningCount = this.#deps.countRunning()
    if (runningCount > MANY_RUNNING_SHARE * this.#deps.maxRunning)
      return `${lateText}: ${runningCount} checks are running, most of them against slow targets. Set shorter timeouts, check less often, or start another node with the role checker.`
    return `${lateText}: this node is too busy. Give its machine and PostgreSQL more CPU time, start another node with the role checker, or check less often.`
  }

  #endPeriods(now: number): void {
    while (now >= this.#period.endsAt) {
      this.#endPeriod()
      // After a long time without any call, only the last periods decide whether lateness is reported.
      const skipsPeriods = now >= this.#period.endsAt + REPORTED_AFTER_PERIODS * PERIOD_MS
      this.#period = createPeriod(skipsPeriods ? now - REPORTED_AFTER_PERIODS * PERIOD_MS : this.#period.endsAt)
    }
  }

  #endPeriod(): void {
    const { startCount, lateCount, maxMs } = this.#period
    // If nothing could start although checks are overdue, they are late, too.
    const isLate =
      startCount === 0 ? this.#deps.hasBacklog() : lateCount > 0 && lateCount >= MIN_LATE_SHARE * startCount
    if (maxMs > 0) this.#maxMs = maxMs
    this.#setLatePeriodCount(isLate ? this.#latePeriodCount + 1 : 0)
  }

  #setLatePeriodCount(count: number): void {
    const wasReported = this.#isReported
    this.#latePeriodCount = count
    if (this.#isReported && !wasReported) this.#deps.log.warn(this.#formatMessage())
    if (wasReported && !this.#isReported) this.#deps.log.info('checks start in time again')
    if (count === 0) this.#maxMs = 0
  }
}
