/** Stores results and releases claims in batches, which takes a fraction of the time of separate statements. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import { announceChanges } from '../alerts/announcements.ts'
import type { Claimant } from '../nodes/lease.ts'
import { isDatabaseUnavailable } from '../storage/connection-loss.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
import { type ClaimRelease, releaseClaims } from './claim-store.ts'
import { changeMonitors, lockAndRecordResults, recordResults, recordUnchanged } from './record-store.ts'
import { type CheckClaim, type CompletedCheck, changesMonitor } from './verdict.ts'
import { type CheckWrite, type QueuedWrite, WriteQueue } from './write-queue.ts'

/** How long the first result of a batch waits for further results. At 1,000 checks a second, half of this time costs 4 % more CPU time. */
const BATCH_WINDOW_MS = 200
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

type Write<T> = (items: readonly T[]) => Promise<unknown>

export class CheckRecorder {
  readonly #deps: Deps
  readonly #queue = new WriteQueue()
  #writeInProgress: Promise<void> | undefined

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** `onEnd` is called when the write is stored or abandoned. */
  add(write: CheckWrite, onEnd: () => void): void {
    this.#queue.add({ write, queuedAt: performance.now(), onEnd })
    this.#startWriting()
  }

  #startWriting(): void {
    this.#writeInProgress ??= this.#writeQueue().finally(() => {
      this.#writeInProgress = undefined
      // A check may have been added after `#writeQueue` saw an empty queue.
      if (this.#queue.size > 0) this.#startWriting()
    })
  }

  /** Resolves when everything that was added has been written or abandoned. */
  async waitUntilIdle(): Promise<void> {
    while (this.#writeInProgress !== undefined) await this.#writeInProgress
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.size > 0) {
      if (this.#queue.size < MAX_BATCH_SIZE) await delay(BATCH_WINDOW_MS)
      const batch = this.#queue.takeBatch(MAX_BATCH_SIZE)
      try {
        await this.#writeBatch(batch.map(({ write }) => write))
        for (const { onEnd } of batch) onEnd()
      } catch (error) {
        await this.#retryLater(batch, error as Error)
      }
    }
  }

  async #retryLater(batch: readonly QueuedWrite[], error: Error): Promise<void> {
    const { claimant, log } = this.#deps
    const now = performance.now()
    const canRetry = ({ queuedAt }: QueuedWrite) => now - queuedAt < MAX_RETRY_MS
    const abandonedWrites = batch.filter((queued) => !canRetry(queued))
    this.#queue.putBack(batch.filter(canRetry))
    if (abandonedWrites.length > 0) {
      log.warn(
        { checks: abandonedWrites.length, reason: error.message },
        'could not write the results of checks, repeating these checks',
      )
      for (const { onEnd } of abandonedWrites) onEnd()
      await claimant.abandonClaims()
    }
    await delay(RETRY_DELAY_MS)
  }

  async #writeBatch(writes: readonly CheckWrite[]): Promise<void> {
    const releases = writes.flatMap((write) => ('release' in write ? [write.release] : []))
    await this.#writeReleases(sortByMonitor(releases, ({ claim }) => claim))
    await this.write(writes.flatMap((write) => ('completed' in write ? [write.completed] : [])))
  }

  /**
   * Writes checks immediately. Retrying after an error is safe: each statement writes everything or nothing, and writing a
   * result ends its claim, so no result is written twice.
   */
  async write(checks: readonly CompletedCheck[]): Promise<void> {
    const { db, claimant, onAlerts } = this.#deps
    // Drop checks whose node id this process has abandoned since it claimed them. Other nodes may have claimed their
    // monitors.
    const currentChecks = sortByMonitor(
      checks.filter(({ claimedCheck }) => claimant.hasId(claimedCheck.nodeId)),
      ({ claimedCheck }) => claimedCheck,
    )
    const nodeId = currentChecks[0]?.claimedCheck.nodeId ?? 0
    const checksWithChanges = currentChecks.filter(changesMonitor)
    const checksWithoutChanges = currentChecks.filter((check) => check.isInHistory && !changesMonitor(check))
    const checksOutsideHistory = currentChecks.filter((check) => !check.isInHistory)
    await this.#writeChecks(checksWithoutChanges, (part) => recordResults(db, nodeId, part))
    await this.#writeChecks(checksOutsideHistory, (part) => recordUnchanged(db, nodeId, part))
    // Changes take longest to write, so the other checks don't wait for them.
    await this.#writeChecks(checksWithChanges, async (part) => {
      const alertCount = await db.transaction((q) => recordChanges(q, nodeId, part))
      if (alertCount > 0) onAlerts()
    })
  }

  #writeReleases(releases: readonly ClaimRelease[]): Promise<void> {
    const { db, log } = this.#deps
    return this.#writeWithSplits(
      releases,
      (part) => releaseClaims(db, part),
      async (release, error) => {
        log.error({ err: error, monitor: release.claim.monitorId }, 'could not write why a check did not run')
        await releaseClaims(db, [{ ...release, reason: null }])
      },
    )
  }

  #writeChecks(checks: readonly CompletedCheck[], write: Write<CompletedCheck>): Promise<void> {
    return this.#writeWithSplits(checks, write, (check) => this.#writeAgain(check, write))
  }

  /** Splits a batch that PostgreSQL rejects, so that one bad item does not affect the others. */
  async #writeWithSplits<T>(
    items: readonly T[],
    write: Write<T>,
    handleRejected: (item: T, error: unknown) => Promise<void>,
  ): Promise<void> {
    const [first] = items
    if (first === undefined) return
    try {
      await write(items)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      if (items.length === 1) return handleRejected(first, error)
      const half = Math.ceil(items.length / 2)
      await this.#writeWithSplits(items.slice(0, half), write, handleRejected)
      await this.#writeWithSplits(items.slice(half), write, handleRejected)
    }
  }

  /**
   * Storing an alert fails if its channel is deleted at the same time. The second attempt succeeds, because the
   * channel's assignments have been deleted too.
   */
  async #writeAgain(check: CompletedCheck, write: Write<CompletedCheck>): Promise<void> {
    const { db, log } = this.#deps
    try {
      await write([check])
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      log.error({ err: error, monitor: check.claimedCheck.monitorId }, 'could not write the result of a check')
      await releaseClaims(db, [{ claim: check.claimedCheck, nextDueAt: check.nextDueAt, reason: null }])
    }
  }
}

/** All nodes lock monitors in the same order, which prevents deadlocks. */
function sortByMonitor<T>(items: readonly T[], findClaim: (item: T) => CheckClaim): T[] {
  return items.toSorted((a, b) => {
    const [first, second] = [findClaim(a), findClaim(b)]
    return first.teamId - second.teamId || first.monitorId - second.monitorId
  })
}

/** The state, the incident and the alerts are stored in one transaction: completely or not at all. Returns the number of new alerts. */
async function recordChanges(q: Queries, nodeId: number, checks: readonly CompletedCheck[]): Promise<number> {
  const recordedChecks = await lockAndRecordResults(q, nodeId, checks)
  const incidents = await changeMonitors(q, recordedChecks)
  const warnings = recordedChecks.flatMap(({ expiryWarning }) => expiryWarning ?? [])
  return announceChanges(q, { incidents, warnings })
}
