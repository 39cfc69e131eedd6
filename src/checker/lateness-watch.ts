/** Notices when this node can't keep up: its checks have started late for a while, and still do. */
import type { Logger } from 'pino'

const PERIOD_MS = 10_000
const LATE_AFTER_MS = 5_000
/** A smaller share of late checks is not treated as overload. */
const MIN_LATE_SHARE = 0.05
/** Lateness is reported after this many late periods in succession. Catching up after a start or an outage takes about a minute. */
const REPORTED_AFTER_PERIODS = 9
/** If more of the slots are in use by running checks, slow targets are the reason. One user's checks can use 0.8 of them. */
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

export class LatenessWatch {
  readonly #deps: Deps
  readonly #now: () => number
  /** Since when this node can run checks. Earlier lateness has other reasons. */
  #countsSince: number
  #period: ReturnType<typeof createPeriod>
  #latePeriodCount = 0
  /** The greatest lateness of the last complete period with late checks. */
  #maxMs = 0

  constructor(deps: Deps) {
    this.#deps = deps
    this.#now = deps.now ?? (() => performance.now())
    this.#countsSince = this.#now()
    this.#period = createPeriod(this.#countsSince)
  }

  /** Starts anew. Call it while this node runs no checks for another reason. */
  reset(): void {
    this.#countsSince = this.#now()
    this.#period = createPeriod(this.#countsSince)
    this.#setLatePeriodCount(0)
  }

  recordStart(latenessMs: number): void {
    const now = this.#now()
    this.#endPeriods(now)
    const period = this.#period
    const countedMs = Math.min(latenessMs, now - this.#countsSince)
    period.startCount++
    if (countedMs <= LATE_AFTER_MS) return
    period.lateCount++
    period.maxMs = Math.max(period.maxMs, countedMs)
  }

  /** Says how late checks start, and what to do; undefined while they start in time. */
  get message(): string | undefined {
    this.#endPeriods(this.#now())
    return this.#isReported ? this.#formatMessage() : undefined
  }

  get #isReported(): boolean {
    return this.#latePeriodCount >= REPORTED_AFTER_PERIODS
  }

  #formatMessage(): string {
    const lateText = `Checks start up to ${Math.round(this.#maxMs / 1_000)} s late`
    const runningCount = this.#deps.countRunning()
    if (runningCount > MANY_RUNNING_SHARE * this.#deps.maxRunning)
      return `${lateText}: ${runningCount} checks are running, most of them against slow targets. Set shorter timeouts, check less often, or start another node with the role checker.`
    return `${lateText}: this node is too busy. Give its machine and PostgreSQL more CPU time, start another node with the role checker, or check less often.`
  }

  #endPeriods(now: number): void {
    while (now >= this.#period.endsAt) {
      this.#endPeriod()
      // After a long time without any call, the periods in between are like the last one.
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
  }
}
