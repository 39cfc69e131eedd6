/** Claims due checks, runs each at its due time and passes the results to the recorder. */
import type { Logger } from 'pino'
import { type Clock, waitAtMost } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import type { Claimant } from '../nodes/lease.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import type { CheckRunner } from './check-runner.ts'
import { ClaimRateLimiter } from './claim-rate-limiter.ts'
import {
  type CheckClaim,
  type ClaimedCheckRow,
  claimDueChecks,
  countOverdueChecks,
  releaseClaim,
  releaseExpiredClaims,
  releaseNodeClaims,
} from './claim-store.ts'
import { type ClaimedCheck, toClaimedCheck } from './claimed-check.ts'
import { completeCheck } from './completed-check.ts'
import type { CheckRecorder } from './recorder.ts'
import { computeNextDueAt, OVERDUE_AFTER_MS } from './schedule.ts'
import { type QueuedStart, StartQueue } from './start-queue.ts'

const CLAIM_INTERVAL_MS = 200
/** Each check is claimed this long before it is due, and then waits in the start queue. */
const CLAIM_AHEAD_MS = 400
/**
 * Each running check holds a socket and about 25 KB. Checks beyond this limit stay unclaimed, so other nodes can run
 * them.
 */
const MAX_CONCURRENT_CHECKS = 8_000
const RELEASE_EXPIRED_INTERVAL_MS = 2_000
/** Delay before repeating a check that gave no result because of a problem on our side. */
const INCONCLUSIVE_RETRY_MS = 5_000
/** Maximum number of checks per claim while our own network is down. */
const MAX_OFFLINE_CHECKS = 4
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
}

export class CheckLoop {
  readonly #deps: Deps
  readonly #rateLimiter = new ClaimRateLimiter()
  readonly #startQueue: StartQueue
  #runningCount = 0
  #timers: NodeJS.Timeout[] = []
  #claimInProgress: Promise<void> | undefined
  #isStopping = false
  /**
   * All checks that were due before this time have been claimed, so the next search starts here. Without this lower
   * bound, PostgreSQL would scan the dead index entries that the claims of about the last minute have left behind, which
   * takes 6 ms with 100,000 monitors.
   */
  #overdueFrom: Date | null = null
  /**
   * If true, the next search ignores `#overdueFrom`, because checks that were due earlier may be unclaimed: they were skipped
   * because of the rate limit or while offline, or their claims have been released.
   */
  #searchesAllOverdue = true
  /** Due time of the last check that was claimed while offline. The next search starts after it, to find other checks. */
  #lastOfflineDueAt: Date | null = null
  /** True after an error, because the database may then have stored claims that this process does not know about. */
  #mayHaveUnknownClaims = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#startQueue = new StartQueue({ clock: deps.clock, start: (check) => this.#start(check) })
  }

  async start(): Promise<void> {
    this.#timers = [
      setInterval(() => void this.claimDue(), CLAIM_INTERVAL_MS),
      setInterval(() => void this.#releaseExpired(), RELEASE_EXPIRED_INTERVAL_MS),
    ]
    await this.claimDue()
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
    const { claimant, runner } = this.#deps
    if (this.#mayHaveUnknownClaims) {
      this.#startQueue.clear()
      await claimant.abandonClaims()
      this.#mayHaveUnknownClaims = false
    }
    const capacity = MAX_CONCURRENT_CHECKS - this.#runningCount - this.#startQueue.size
    if (this.#isStopping || !claimant.isValid() || capacity <= 0) return
    if (runner.isOffline()) await this.#probeWhileOffline()
    else await this.#claimWhileOnline(capacity)
  }

  async #claimWhileOnline(capacity: number): Promise<void> {
    const { db, clock, claimant } = this.#deps
    const now = clock.now().getTime()
    const overdueUntil = new Date(now - OVERDUE_AFTER_MS)
    const allowance = this.#rateLimiter.getAllowance(performance.now())
    const { overdue, onTime } = await claimDueChecks(db, {
      node: claimant.id,
      overdueFrom: this.#searchesAllOverdue ? null : this.#overdueFrom,
      overdueUntil,
      maxOverdue: Math.min(capacity, allowance.overdue),
      onTimeUntil: new Date(now + CLAIM_AHEAD_MS),
      maxOnTime: Math.min(capacity, allowance.onTime),
    })
    const startGapMs = CLAIM_INTERVAL_MS / overdue.length
    await this.#enqueue([
      ...overdue.map((row, index) => ({ row, startAt: now + index * startGapMs })),
      ...onTime.map((row) => ({ row, startAt: row.due_at.getTime() })),
    ])
    const claimedCounts = { overdue: overdue.length, onTime: onTime.length }
    this.#searchesAllOverdue = this.#rateLimiter.recordClaims(claimedCounts, allowance)
    this.#overdueFrom = overdueUntil
    if (this.#searchesAllOverdue) this.#rateLimiter.setBacklog(await countOverdueChecks(db, overdueUntil))
  }

  /**
   * While our own network is down, runs only a few due checks, a different set each time, to notice when the network
   * is back. Probing the reachability targets is not enough, because they may be down themselves.
   */
  async #probeWhileOffline(): Promise<void> {
    const { db, clock, claimant } = this.#deps
    const now = clock.now()
    const { overdue } = await claimDueChecks(db, {
      node: claimant.id,
      overdueFrom: this.#lastOfflineDueAt,
      overdueUntil: now,
      maxOverdue: MAX_OFFLINE_CHECKS,
      onTimeUntil: now,
      maxOnTime: 0,
    })
    await this.#enqueue(overdue.map((row) => ({ row, startAt: now.getTime() })))
    const dueTimes = overdue.map((row) => row.due_at.getTime())
    this.#lastOfflineDueAt = dueTimes.length === 0 ? null : new Date(Math.max(...dueTimes))
    this.#searchesAllOverdue = true
  }

  async #enqueue(rows: readonly { row: ClaimedCheckRow; startAt: number }[]): Promise<void> {
    const { log, secret } = this.#deps
    const entries: QueuedStart[] = []
    for (const { row, startAt } of rows) {
      try {
        entries.push({ check: toClaimedCheck(row, secret), startAt })
      } catch (error) {
        log.error({ err: error, monitor: row.id }, 'could not decrypt the headers of a monitor')
        const claim = { userId: row.user_id, monitorId: row.id, claimNumber: row.claim, node: row.claimed_by }
        const reason = "The monitor's headers can't be decrypted. Was BELFRY_SECRET changed?"
        await this.#skip(claim, row.interval_seconds * 1000, reason)
      }
    }
    this.#startQueue.add(entries)
  }

  #start(check: ClaimedCheck): void {
    this.#runningCount++
    this.#run(check)
      .catch((error) => this.#handleError(error))
      .finally(() => {
        this.#runningCount--
      })
  }

  async #run(check: ClaimedCheck): Promise<void> {
    const { db, clock, runner, metrics, recorder } = this.#deps
    const latenessMs = clock.now().getTime() - check.dueAt.getTime()
    const run = await runner.run(check.target, check)
    if (this.#isStopping) return
    if ('result' in run) {
      metrics.countCheck(run.result.failure === null ? 'ok' : 'failed', latenessMs)
      recorder.add(completeCheck(check, run))
    } else if ('unsupported' in run) {
      metrics.countCheck('unable', latenessMs)
      await this.#skip(check, check.intervalMs, run.unsupported)
    } else {
      metrics.countCheck('unknown', latenessMs)
      const retryDelayMs = Math.min(check.intervalMs, INCONCLUSIVE_RETRY_MS)
      await releaseClaim(db, check, new Date(clock.now().getTime() + retryDelayMs))
    }
  }

  /**
   * Releases a check that this node can't run. It is due again after its interval, and the monitor shows `reason` as
   * its last error.
   */
  async #skip(claim: CheckClaim, intervalMs: number, reason: string): Promise<void> {
    const { db, clock } = this.#deps
    const now = clock.now().getTime()
    await releaseClaim(db, claim, new Date(computeNextDueAt(claim.monitorId, intervalMs, { due: now, now })), reason)
  }

  async #releaseExpired(): Promise<void> {
    const { db, clock, log } = this.#deps
    try {
      const releasedCount = await releaseExpiredClaims(db, clock.now())
      if (releasedCount > 0) log.warn({ monitors: releasedCount }, 'released the claims of an expired node')
      this.#searchesAllOverdue = true
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
