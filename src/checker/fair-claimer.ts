/** Claims due checks, with a fair share for every user. */
import type { Clock } from '../lib/clock.ts'
import type { Claimant } from '../nodes/lease.ts'
import type { Queries } from '../storage/transaction.ts'
import { ClaimRateLimiter, type UserClaimCounts } from './claim-rate-limiter.ts'
import { type ClaimedDueChecks, claimDueChecks, countDueChecks, type DueWindow } from './claim-store.ts'
import { shareClaims } from './fair-shares.ts'
import type { CheckSlots } from './probes/check-slots.ts'
import { OVERDUE_AFTER_MS } from './schedule.ts'

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
  #lastOfflineTeamId = 0

  constructor(deps: FairClaimerDeps) {
    this.#deps = deps
  }

  /** Whether overdue checks have been counted that are not claimed yet. */
  get hasBacklog(): boolean {
    return this.#backlog.size > 0
  }

  /** Makes the next claim count all overdue checks again, because other nodes have claimed or released some. */
  recountBacklog(): void {
    this.#countedUntil = null
  }

  /** Claims at most `room` checks of all users together. */
  async claim(room: number): Promise<ClaimedDueChecks> {
    const { clock, slots } = this.#deps
    const now = clock.now().getTime()
    const window = { overdueUntil: new Date(now - OVERDUE_AFTER_MS), onTimeUntil: new Date(now + CLAIM_AHEAD_MS) }
    const dueCounts = await this.#countDue(window)
    const allowance = this.#rateLimiter.getAllowance(performance.now())
    const demands = dueCounts.map((count) => ({ ...count, heldSlots: slots.countHeldBy(count.teamId) }))
    const shares = shareClaims(demands, { freeSlots: slots.freeCount, allowance, room })
    const claimedChecks = await this.#claim(shares, window)
    this.#rateLimiter.recordClaims(
      { overdue: claimedChecks.overdue.length, onTime: claimedChecks.onTime.length },
      this.#backlog.values().reduce((sum, count) => sum + count, 0),
    )
    return claimedChecks
  }

  /**
   * While our own network is down, claims only a few checks, of different users each time, to notice when the network is back.
   * Probing the reachability targets is not enough, because they may be down themselves.
   */
  async claimWhileOffline(): Promise<ClaimedDueChecks> {
    const now = this.#deps.clock.now()
    const window = { overdueUntil: now, onTimeUntil: now }
    const counts = (await this.#countDue(window)).sort((a, b) => a.teamId - b.teamId)
    const start = Math.max(
      0,
      counts.findIndex(({ teamId }) => teamId > this.#lastOfflineTeamId),
    )
    const users = [...counts.slice(start), ...counts.slice(0, start)].slice(0, MAX_OFFLINE_CHECKS)
    this.#lastOfflineTeamId = users.at(-1)?.teamId ?? 0
    const checksPerTeam = Math.floor(MAX_OFFLINE_CHECKS / users.length)
    return this.#claim(
      users.map(({ teamId, overdue }) => ({ teamId, overdue: Math.min(overdue, checksPerTeam), onTime: 0 })),
      window,
    )
  }

  /** Counts the due checks of each user. Users with overdue checks come first, and among these the ones whose last claim is longest ago. */
  async #countDue(window: DueWindow): Promise<UserClaimCounts[]> {
    const from = this.#countedUntil
    if (from === null) this.#backlog.clear()
    this.#countedUntil = window.overdueUntil
    try {
      const rows = await countDueChecks(this.#deps.db, { from, ...window })
      for (const { teamId, overdue } of rows)
        if (overdue > 0) this.#backlog.set(teamId, (this.#backlog.get(teamId) ?? 0) + overdue)
      const onTimeCounts = new Map(rows.map(({ teamId, onTime }) => [teamId, onTime]))
      const teamIds = new Set([...this.#backlog.keys(), ...onTimeCounts.keys()])
      return Array.from(teamIds, (teamId) => ({
        teamId,
        overdue: this.#backlog.get(teamId) ?? 0,
        onTime: onTimeCounts.get(teamId) ?? 0,
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
    const claimedByTeam = Map.groupBy(claimedChecks.overdue, ({ user_id }) => user_id)
    for (const { teamId, overdue } of shares) {
      const claimedCount = claimedByTeam.get(teamId)?.length ?? 0
      const remaining = claimedCount < overdue ? 0 : (this.#backlog.get(teamId) ?? 0) - claimedCount
      if (overdue === 0) continue
      // The user moves to the end, so that users take turns if a claim can't include checks of all of them.
      this.#backlog.delete(teamId)
      if (remaining > 0) this.#backlog.set(teamId, remaining)
    }
    return claimedChecks
  }
}
