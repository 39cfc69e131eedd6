/** Claims due checks, runs each at its due time and passes the results to the recorder. */
import type { Logger } from 'pino'
import { type Clock, waitAtMost } from '../lib/clock.ts'
import type { Secret } from '../lib/secret.ts'
import type { Claimant } from '../nodes/lease.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import type { CheckRunner } from './check-runner.ts'
import { ClaimRateLimiter, type UserClaimCounts } from './claim-rate-limiter.ts'
import {
  type ClaimedCheckRow,
  type ClaimedDueChecks,
  claimDueChecks,
  countDueChecks,
  type DueWindow,
  releaseClaim,
  releaseExpiredClaims,
  releaseNodeClaims,
  toClaimedCheck,
} from './claim-store.ts'
import { shareClaims } from './fair-shares.ts'
import { CheckSlots } from './probes/check-slots.ts'
import type { CheckRecorder } from './recorder.ts'
import { computeNextDueAt, OVERDUE_AFTER_MS } from './schedule.ts'
import { type CheckClaim, type ClaimedCheck, completeCheck, completeUnchanged } from './verdict.ts'

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
      for (const { userId } of this.#startQueue.clear()) this.#slots.release(userId)
      await claimant.abandonClaims()
      this.#mayHaveUnknownClaims = false
    }
    if (this.#isStopping || !claimant.isValid()) return
    const now = clock.now().getTime()
    const { overdue, onTime } = runner.isOffline()
      ? await this.#claimer.claimWhileOffline()
      : await this.#claimer.claim()
    const startGapMs = CLAIM_INTERVAL_MS / overdue.length
    await this.#enqueue([
      ...overdue.map((row, index) => ({ row, startAt: now + index * startGapMs })),
      ...onTime.map((row) => ({ row, startAt: row.due_at.getTime() })),
    ])
  }

  async #enqueue(rows: readonly { row: ClaimedCheckRow; startAt: number }[]): Promise<void> {
    const { log, secret } = this.#deps
    const entries: QueuedStart[] = []
    for (const { row, startAt } of rows) {
      try {
        entries.push({ check: toClaimedCheck(row, secret), startAt })
      } catch (error) {
        log.error({ err: error, monitor: row.id }, 'could not decrypt the headers of a monitor')
        const claim = { userId: row.user_id, monitorId: row.id, claimNumber: row.claim, nodeId: row.claimed_by }
        const reason = "The monitor's headers can't be decrypted. Was BELFRY_SECRET changed?"
        await this.#skip(claim, row.interval_seconds * 1000, reason)
      }
    }
    for (const { check } of entries) this.#slots.take(check.userId)
    this.#startQueue.add(entries)
  }

  #start(check: ClaimedCheck): void {
    // The lease expired after this check was claimed, so another node runs it.
    if (!this.#deps.claimant.hasId(check.nodeId)) {
      this.#slots.release(check.userId)
      return
    }
    this.#runningCount++
    this.#run(check)
      .catch((error) => this.#handleError(error))
      .finally(() => {
        this.#runningCount--
        this.#slots.release(check.userId)
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
    } else if ('unchanged' in run) {
      metrics.countCheck('ok', latenessMs)
      recorder.add(completeUnchanged(check, run))
    } else if ('unsupported' in run) {
      metrics.countCheck('unable', latenessMs)
      await this.#skip(check, check.intervalMs, run.unsupported)
    } else {
      metrics.countCheck('unknown', latenessMs)
      const { inconclusive, retryAfterMs } = run
      const retryDelayMs = Math.min(check.intervalMs, retryAfterMs ?? INCONCLUSIVE_RETRY_MS)
      const reason = retryAfterMs === undefined ? null : inconclusive
      await releaseClaim(db, check, new Date(clock.now().getTime() + retryDelayMs), reason)
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

/** Each check is claimed this long before it is due, and then waits in the start queue. */
const CLAIM_AHEAD_MS = 400
/** Maximum number of checks per claim while our own network is down. */
const MAX_OFFLINE_CHECKS = 4

interface FairClaimerDeps {
  db: Queries
  clock: Clock
  claimant: Claimant
  slots: CheckSlots
}

/** Every user gets a fair share of the claims, however many due checks another user has. */
export class FairClaimer {
  readonly #deps: FairClaimerDeps
  readonly #rateLimiter = new ClaimRateLimiter()
  /**
   * The number of overdue checks of each user that have been counted but not claimed yet, because of the rate limit or
   * a lack of slots.
   */
  readonly #backlog = new Map<number, number>()
  /**
   * All checks that were due before this time have been claimed or are counted in the backlog, so the next count starts here.
   * null counts all. Without this lower bound, PostgreSQL would count the backlog again for every claim. It would also scan
   * the dead index entries that the claims of the last minute have left behind: 6 ms with 100,000 monitors.
   */
  #countedUntil: Date | null = null
  /** The last user whose check was claimed while offline. The next such claim begins with the user after this one. */
  #lastOfflineUserId = 0

  constructor(deps: FairClaimerDeps) {
    this.#deps = deps
  }

  /** Makes the next claim count all overdue checks again, because other nodes have claimed or released some. */
  recountBacklog(): void {
    this.#countedUntil = null
  }

  async claim(): Promise<ClaimedDueChecks> {
    const { clock, slots } = this.#deps
    const now = clock.now().getTime()
    const window = { overdueUntil: new Date(now - OVERDUE_AFTER_MS), onTimeUntil: new Date(now + CLAIM_AHEAD_MS) }
    const dueCounts = await this.#countDue(window)
    const allowance = this.#rateLimiter.getAllowance(performance.now())
    const demands = dueCounts.map((count) => ({ ...count, heldSlots: slots.countHeldBy(count.userId) }))
    const claimedChecks = await this.#claim(shareClaims(demands, { freeSlots: slots.freeCount, allowance }), window)
    const claimedCounts = { overdue: claimedChecks.overdue.length, onTime: claimedChecks.onTime.length }
    const isBehind = this.#rateLimiter.recordClaims(claimedCounts, allowance)
    if (isBehind) this.#rateLimiter.setBacklog(this.#backlog.values().reduce((sum, count) => sum + count, 0))
    return claimedChecks
  }

  /**
   * While our own network is down, claims only a few checks, of different users each time, to notice when the network is back.
   * Probing the reachability targets is not enough, because they may be down themselves.
   */
  async claimWhileOffline(): Promise<ClaimedDueChecks> {
    const now = this.#deps.clock.now()
    const window = { overdueUntil: now, onTimeUntil: now }
    const counts = (await this.#countDue(window)).sort((a, b) => a.userId - b.userId)
    const start = Math.max(
      0,
      counts.findIndex(({ userId }) => userId > this.#lastOfflineUserId),
    )
    const users = [...counts.slice(start), ...counts.slice(0, start)].slice(0, MAX_OFFLINE_CHECKS)
    this.#lastOfflineUserId = users.at(-1)?.userId ?? 0
    const checksPerUser = Math.floor(MAX_OFFLINE_CHECKS / users.length)
    return this.#claim(
      users.map(({ userId, overdue }) => ({ userId, overdue: Math.min(overdue, checksPerUser), onTime: 0 })),
      window,
    )
  }

  /** Counts the due checks of each user. Users whose checks have waited longest come first. */
  async #countDue(window: DueWindow): Promise<UserClaimCounts[]> {
    const from = this.#countedUntil
    if (from === null) this.#backlog.clear()
    this.#countedUntil = window.overdueUntil
    try {
      const rows = await countDueChecks(this.#deps.db, { from, ...window })
      for (const { userId, overdue } of rows)
        if (overdue > 0) this.#backlog.set(userId, (this.#backlog.get(userId) ?? 0) + overdue)
      const onTimeCounts = new Map(rows.map(({ userId, onTime }) => [userId, onTime]))
      const userIds = new Set([...this.#backlog.keys(), ...onTimeCounts.keys()])
      return Array.from(userIds, (userId) => ({
        userId,
        overdue: this.#backlog.get(userId) ?? 0,
        onTime: onTimeCounts.get(userId) ?? 0,
      }))
    } catch (error) {
      this.#countedUntil = null
      throw error
    }
  }

  async #claim(shares: readonly UserClaimCounts[], window: DueWindow): Promise<ClaimedDueChecks> {
    const { db, claimant } = this.#deps
    if (!claimant.isValid()) {
      // The lease expired during the count, so other nodes may claim these checks.
      this.recountBacklog()
      return { overdue: [], onTime: [] }
    }
    const claimedChecks = await claimDueChecks(db, { nodeId: claimant.id, shares, ...window })
    const claimedByUser = Map.groupBy(claimedChecks.overdue, ({ user_id }) => user_id)
    for (const { userId, overdue } of shares) {
      const claimedCount = claimedByUser.get(userId)?.length ?? 0
      const remaining = claimedCount < overdue ? 0 : (this.#backlog.get(userId) ?? 0) - claimedCount
      if (remaining > 0) this.#backlog.set(userId, remaining)
      else if (overdue > 0) this.#backlog.delete(userId)
    }
    return claimedChecks
  }
}

/**
 * With this interval, checks start in groups, so their responses arrive in groups too. That takes a tenth less CPU time
 * than an interval of 10 ms.
 */
const START_INTERVAL_MS = 25

interface QueuedStart {
  check: ClaimedCheck
  /** Milliseconds since 1970. */
  startAt: number
}

interface StartQueueDeps {
  clock: Clock
  /**
   * After a freeze of this process, its lease is no longer valid, and other nodes may have claimed the waiting checks. So no
   * check starts until a heartbeat has shown whether the claims are still valid.
   */
  hasValidLease(): boolean
  start(check: ClaimedCheck): void
}

/** Claimed checks that wait for their start time. */
class StartQueue {
  readonly #deps: StartQueueDeps
  /** The next check to start is the last entry. */
  #entries: QueuedStart[] = []
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(deps: StartQueueDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#entries.length
  }

  add(entries: readonly QueuedStart[]): void {
    this.#entries.push(...entries)
    this.#entries.sort((a, b) => b.startAt - a.startAt)
    this.#scheduleStart()
  }

  /** Removes all checks, and returns them. */
  clear(): ClaimedCheck[] {
    const removedEntries = this.#entries
    this.#entries = []
    return removedEntries.map(({ check }) => check)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Starts all checks whose start time is not after `until`. */
  startDue(until = this.#deps.clock.now().getTime()): void {
    for (;;) {
      const next = this.#entries.at(-1)
      if (next === undefined || next.startAt > until || this.#isStopped || !this.#deps.hasValidLease()) return
      this.#entries.pop()
      this.#deps.start(next.check)
    }
  }

  #scheduleStart(): void {
    if (this.#entries.length === 0 || this.#timer !== undefined || this.#isStopped) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.startDue()
      this.#scheduleStart()
    }, START_INTERVAL_MS)
  }
}
