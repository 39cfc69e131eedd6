/** Claims due checks, runs each at its due time and passes the results to the recorder. */
import type { Logger } from 'pino'
import { addMs, type Clock, waitAtMost } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import type { Claimant } from '../nodes/lease.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import type { CheckRunner } from './check-runner.ts'
import { type ClaimedCheckRow, releaseExpiredClaims, releaseNodeClaims, toClaimedCheck } from './claim-store.ts'
import { FairClaimer } from './fair-claimer.ts'
import { LatenessDetector } from './lateness-detector.ts'
import { CheckSlots } from './probes/check-slots.ts'
import type { CheckRecorder } from './recorder.ts'
import { computeNextDueAt } from './schedule.ts'
import { type QueuedStart, StartQueue } from './start-queue.ts'
import { type CheckClaim, type ClaimedCheck, completeCheck, completeUnchanged } from './verdict.ts'
import type { CheckWrite } from './write-queue.ts'

const CLAIM_INTERVAL_MS = 200
const RELEASE_EXPIRED_INTERVAL_MS = 2_000
/** Delay before repeating a check that gave no result because of a problem on our side. */
const INCONCLUSIVE_RETRY_MS = 5_000
const STOP_TIMEOUT_MS = 2_000

export interface CheckMetrics {
  countCheck(outcome: 'ok' | 'failed' | 'unknown' | 'unable', latenessMs: number): void
}

interface Deps {
  db: Database
  clock: Clock
  log: Logger
  secret: Secret
  claimant: Claimant
  runner: CheckRunner
  recorder: CheckRecorder
  metrics: CheckMetrics
  /** Checks beyond this limit stay unclaimed, so other nodes can run them. */
  maxConcurrentChecks: number
}

export class CheckLoop {
  readonly #deps: Deps
  readonly #startQueue: StartQueue
  readonly #slots: CheckSlots
  readonly #claimer: FairClaimer
  readonly #latenessDetector: LatenessDetector
  #runningCount = 0
  #timers: NodeJS.Timeout[] = []
  #claimInProgress: Promise<void> | undefined
  #isStopping = false
  /** True after an error, because the database may then have stored claims that this process does not know about. */
  #mayHaveUnknownClaims = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#slots = new CheckSlots(deps.maxConcurrentChecks)
    this.#claimer = new FairClaimer({ ...deps, slots: this.#slots })
    this.#latenessDetector = new LatenessDetector({
      log: deps.log,
      countRunning: () => this.#runningCount,
      maxRunning: deps.maxConcurrentChecks,
      hasBacklog: () => this.#claimer.hasBacklog,
    })
    this.#startQueue = new StartQueue({
      clock: deps.clock,
      hasValidLease: () => deps.claimant.isValid(),
      start: (check) => this.#start(check),
    })
  }

  async start(): Promise<void> {
    this.#timers = [
      setInterval(() => void this.claimDue(), CLAIM_INTERVAL_MS),
      setInterval(() => void this.#releaseExpired(), RELEASE_EXPIRED_INTERVAL_MS),
    ]
    await this.claimDue()
  }

  /** Says that checks start late, and what to do; undefined while they don't. */
  get latenessMessage(): string | undefined {
    return this.#latenessDetector.message
  }

  /** Releases running checks without recording them, so that other nodes repeat them. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#startQueue.stop()
    // Ignore errors: the server may be stopping because the database is unavailable.
    await waitAtMost(STOP_TIMEOUT_MS, this.#finish()).catch(() => {})
  }

  async #finish(): Promise<void> {
    const { db, claimant, clock, recorder } = this.#deps
    await this.#claimInProgress
    await recorder.waitUntilIdle()
    if (claimant.isValid()) await releaseNodeClaims(db, claimant.id, clock.now())
  }

  /**
   * Starts all claimed checks without waiting for their due time, and resolves when their results are written. Only
   * tests with a fixed clock call this.
   */
  async runAllClaimed(): Promise<void> {
    while (this.#startQueue.size > 0 || this.#runningCount > 0) {
      this.#startQueue.startDue(Number.POSITIVE_INFINITY)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await this.#deps.recorder.waitUntilIdle()
  }

  /** Claims due checks. A call during a running claim only waits for that claim. */
  claimDue(): Promise<void> {
    this.#claimInProgress ??= this.#claimDue()
      .catch((error) => this.#handleError(error))
      .finally(() => {
        this.#claimInProgress = undefined
      })
    return this.#claimInProgress
  }

  async #claimDue(): Promise<void> {
    const { claimant, clock, runner } = this.#deps
    if (this.#mayHaveUnknownClaims) {
      for (const { teamId } of this.#startQueue.clear()) this.#slots.release(teamId)
      await claimant.abandonClaims()
      this.#mayHaveUnknownClaims = false
    }
    if (this.#isStopping || !claimant.isValid()) return
    const now = clock.now().getTime()
    const isOffline = runner.isOffline()
    if (isOffline) this.#latenessDetector.reset()
    const { overdue, onTime } = isOffline
      ? await this.#claimer.claimWhileOffline()
      : await this.#claimer.claim(this.#startQueue.adjustRoom())
    const startGapMs = CLAIM_INTERVAL_MS / overdue.length
    this.#enqueue([
      ...overdue.map((row, index) => ({ row, startAt: now + index * startGapMs })),
      ...onTime.map((row) => ({ row, startAt: row.due_at.getTime() })),
    ])
  }

  #enqueue(rows: readonly { row: ClaimedCheckRow; startAt: number }[]): void {
    const { log, recorder, secret } = this.#deps
    const entries: QueuedStart[] = []
    for (const { row, startAt } of rows) {
      try {
        entries.push({ check: toClaimedCheck(row, secret), startAt })
      } catch (error) {
        log.error({ err: error, monitor: row.id }, 'could not decrypt the headers of a monitor')
        const claim = { teamId: row.user_id, monitorId: row.id, claimNumber: row.claim, nodeId: row.claimed_by }
        const reason = "The monitor's headers can't be decrypted. Was BELFRY_SECRET changed?"
        recorder.add(this.#skip(claim, row.interval_seconds * 1000, reason), () => {})
      }
    }
    for (const { check } of entries) this.#slots.take(check.teamId)
    this.#startQueue.add(entries)
  }

  #start(check: ClaimedCheck): void {
    const releaseSlot = () => this.#slots.release(check.teamId)
    // The lease expired after this check was claimed, so another node runs it.
    if (!this.#deps.claimant.hasId(check.nodeId)) {
      releaseSlot()
      return
    }
    this.#runningCount++
    this.#run(check)
      .then((write) => {
        // A check keeps its slot until its result is stored. So if the database is slow, fewer checks are claimed.
        if (write === undefined) releaseSlot()
        else this.#deps.recorder.add(write, releaseSlot)
      })
      .catch((error) => {
        releaseSlot()
        this.#handleError(error)
      })
      .finally(() => {
        this.#runningCount--
      })
  }

  /** Returns undefined if this process is stopping, because another node repeats the check then. */
  async #run(check: ClaimedCheck): Promise<CheckWrite | undefined> {
    const { clock, runner, metrics } = this.#deps
    const latenessMs = clock.now().getTime() - check.dueAt.getTime()
    this.#latenessDetector.recordStart(latenessMs)
    const run = await runner.run(check.target, check)
    if (this.#isStopping) return undefined
    if ('result' in run) {
      metrics.countCheck(run.result.failure === null ? 'ok' : 'failed', latenessMs)
      return { completed: completeCheck(check, run) }
    }
    if ('unchanged' in run) {
      metrics.countCheck('ok', latenessMs)
      return { completed: completeUnchanged(check, run) }
    }
    if ('unsupported' in run) {
      metrics.countCheck('unable', latenessMs)
      return this.#skip(check, check.intervalMs, run.unsupported)
    }
    metrics.countCheck('unknown', latenessMs)
    const { inconclusive, retryAfterMs } = run
    const retryDelayMs = Math.min(check.intervalMs, retryAfterMs ?? INCONCLUSIVE_RETRY_MS)
    const reason = retryAfterMs === undefined ? null : inconclusive
    return { release: { claim: check, nextDueAt: addMs(clock.now(), retryDelayMs), reason } }
  }

  /**
   * Returns the release of a check that this node can't run. It is due again after its interval, and the monitor shows
   * `reason` as its last error.
   */
  #skip(claim: CheckClaim, intervalMs: number, reason: string): CheckWrite {
    const now = this.#deps.clock.now().getTime()
    const nextDueAt = new Date(computeNextDueAt(claim.monitorId, intervalMs, { due: now, now }))
    return { release: { claim, nextDueAt, reason } }
  }

  async #releaseExpired(): Promise<void> {
    const { db, clock, log } = this.#deps
    try {
      const releasedCount = await releaseExpiredClaims(db, clock.now())
      if (releasedCount > 0) log.warn({ monitors: releasedCount }, 'released the claims of an expired node')
      this.#claimer.recountBacklog()
    } catch (error) {
      this.#handleError(error)
    }
  }

  #handleError(error: unknown): void {
    const { log } = this.#deps
    // While the database is unavailable, there are several errors a second. Log only the first: the flag stays set until the
    // database is back and `#claimDue` has abandoned the claims.
    if (this.#mayHaveUnknownClaims) return
    this.#mayHaveUnknownClaims = true
    if (isDatabaseUnavailable(error)) {
      log.warn({ reason: (error as Error).message }, 'the database is unavailable, checks are paused until it is back')
    } else log.error({ err: error }, 'the check loop failed')
  }
}
