/** Writes completed checks in batches, which takes a fraction of the time of writing each one separately. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { announceChanges } from '../alerts/announcements.ts'
import type { Claimant } from '../nodes/lease.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import { releaseClaim } from './claim-store.ts'
import { changeMonitors, lockAndRecordResults, recordResults, recordUnchanged } from './record-store.ts'
import { type CompletedCheck, changesMonitor } from './verdict.ts'

/** How long the first result of a batch waits for further results. */
const BATCH_WINDOW_MS = 100
const MAX_BATCH_SIZE = 500
/** How long to retry writing a result while the database is unavailable. After that, the check is repeated instead. */
const MAX_RETRY_MS = 5_000
const RETRY_DELAY_MS = 250

interface Deps {
  db: Database
  claimant: Claimant
  log: Logger
  /** Called after new alerts have been stored. */
  onAlerts(): void
}

interface QueuedCheck {
  check: CompletedCheck
  queuedAt: number
}

type Write = (checks: readonly CompletedCheck[]) => Promise<unknown>

export class CheckRecorder {
  readonly #deps: Deps
  #queue: QueuedCheck[] = []
  #writeInProgress: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  add(check: CompletedCheck): void {
    this.#queue.push({ check, queuedAt: performance.now() })
    this.#startWriting()
  }

  #startWriting(): void {
    this.#writeInProgress ??= this.#writeQueue().finally(() => {
      this.#writeInProgress = undefined
      // A check may have been added after `#writeQueue` saw an empty queue.
      if (this.#queue.length > 0) this.#startWriting()
    })
  }

  /** Resolves when every added check has been written or abandoned. */
  async waitUntilIdle(): Promise<void> {
    while (this.#writeInProgress !== undefined) await this.#writeInProgress
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      if (this.#queue.length < MAX_BATCH_SIZE) await delay(BATCH_WINDOW_MS)
      const batch = this.#queue.splice(0, MAX_BATCH_SIZE)
      try {
        await this.write(batch.map(({ check }) => check))
      } catch (error) {
        await this.#retryLater(batch, error as Error)
      }
    }
  }

  async #retryLater(batch: QueuedCheck[], error: Error): Promise<void> {
    const { claimant, log } = this.#deps
    const retryableChecks = batch.filter(({ queuedAt }) => performance.now() - queuedAt < MAX_RETRY_MS)
    this.#queue.unshift(...retryableChecks)
    if (retryableChecks.length < batch.length) {
      const abandonedCount = batch.length - retryableChecks.length
      log.warn(
        { checks: abandonedCount, reason: error.message },
        'could not write the results of checks, repeating these checks',
      )
      await claimant.abandonClaims()
    }
    await delay(RETRY_DELAY_MS)
  }

  /**
   * Writes checks immediately. Retrying after an error is safe: a failed batch writes nothing, and writing a result
   * ends its claim, so no result is written twice.
   */
  async write(checks: CompletedCheck[]): Promise<void> {
    const { db, claimant, onAlerts } = this.#deps
    // Drop checks whose node id this process has abandoned since it claimed them. Other nodes may have claimed their
    // monitors.
    const currentChecks = checks.filter(({ claimedCheck }) => claimant.hasId(claimedCheck.nodeId))
    // All nodes lock monitors in the same order, which prevents deadlocks.
    currentChecks.sort(({ claimedCheck: a }, { claimedCheck: b }) => a.userId - b.userId || a.monitorId - b.monitorId)
    const nodeId = currentChecks[0]?.claimedCheck.nodeId ?? 0
    const checksWithChanges = currentChecks.filter(changesMonitor)
    const checksWithoutChanges = currentChecks.filter((check) => check.isInHistory && !changesMonitor(check))
    const checksOutsideHistory = currentChecks.filter((check) => !check.isInHistory)
    await this.#writeWithSplits(checksWithChanges, async (batch) => {
      const alertCount = await db.transaction((q) => recordChanges(q, nodeId, batch))
      if (alertCount > 0) onAlerts()
    })
    await this.#writeWithSplits(checksWithoutChanges, (batch) => recordResults(db, nodeId, batch))
    await this.#writeWithSplits(checksOutsideHistory, (batch) => recordUnchanged(db, nodeId, batch))
  }

  /** Splits a batch that PostgreSQL rejects, so that one bad result does not affect the others. */
  async #writeWithSplits(checks: readonly CompletedCheck[], write: Write): Promise<void> {
    const [first] = checks
    if (first === undefined) return
    try {
      await write(checks)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      if (checks.length === 1) return this.#writeAgain(first, write)
      const half = Math.ceil(checks.length / 2)
      await this.#writeWithSplits(checks.slice(0, half), write)
      await this.#writeWithSplits(checks.slice(half), write)
    }
  }

  /**
   * Storing an alert fails if its channel is deleted at the same time. The second attempt succeeds, because the
   * channel's assignments have been deleted too.
   */
  async #writeAgain(check: CompletedCheck, write: Write): Promise<void> {
    const { db, log } = this.#deps
    try {
      await write([check])
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      log.error({ err: error, monitor: check.claimedCheck.monitorId }, 'could not write the result of a check')
      await releaseClaim(db, check.claimedCheck, check.nextDueAt)
    }
  }
}

/** The state, the incident and the alerts are stored in one transaction: completely or not at all. Returns the number of new alerts. */
async function recordChanges(q: Queries, nodeId: number, checks: readonly CompletedCheck[]): Promise<number> {
  const recordedChecks = await lockAndRecordResults(q, nodeId, checks)
  const incidents = await changeMonitors(q, recordedChecks)
  const warnings = recordedChecks.flatMap(({ expiryWarning }) => expiryWarning ?? [])
  return announceChanges(q, { incidents, warnings })
}
