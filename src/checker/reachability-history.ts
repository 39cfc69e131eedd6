/** Recent failures of each user's checks, and the last response. All times come from `performance.now`. */
import { countUnrelated, type NetworkGroup } from './network-groups.ts'

const MIN_UNRELATED_GROUPS = 5
/**
 * Users choose their targets, so the failures of one user among many say little about our own network. The network
 * counts as down only if checks of this many users fail, or of all users if there are fewer.
 */
export const MIN_FAILING_USERS = 5
const MAX_AGE_MS = 60_000
const MAX_FAILURES_PER_USER = 50
const MAX_USERS = 200

/** Whether failures in this many unrelated network groups suggest that our own network is down. */
export const hasEnoughGroups = (unrelatedCount: number) => unrelatedCount >= MIN_UNRELATED_GROUPS

interface Failure {
  group: NetworkGroup
  at: number
}

export class ReachabilityHistory {
  /** The user with the latest failure is the last entry. */
  readonly #failuresByTeam = new Map<number, Failure[]>()
  #lastResponseAt = Number.NEGATIVE_INFINITY

  addResponse(now: number): void {
    this.#lastResponseAt = now
  }

  addFailure(teamId: number, group: NetworkGroup, now: number): void {
    const failures = this.#failuresByTeam.get(teamId) ?? []
    if (failures.push({ group, at: now }) > MAX_FAILURES_PER_USER) failures.shift()
    this.#failuresByTeam.delete(teamId)
    this.#failuresByTeam.set(teamId, failures)
    if (this.#failuresByTeam.size > MAX_USERS)
      this.#failuresByTeam.delete(this.#failuresByTeam.keys().next().value as number)
  }

  hasResponse(since: number): boolean {
    return this.#lastResponseAt >= since
  }

  /**
   * Decides whether our own network is up, from the checks that ended after `since`. A single response proves that the
   * network is up. `respondingTeamIds` are the users whose targets responded recently. If the network is down, their
   * checks fail, too.
   */
  judge(since: number, now: number, respondingTeamIds: Iterable<number>): 'online' | 'offline' | 'unclear' {
    const from = Math.max(since, now - MAX_AGE_MS)
    if (this.hasResponse(from)) return 'online'
    const failures = [...this.#failuresByTeam].flatMap(([teamId, userFailures]) =>
      userFailures.filter(({ at }) => at >= from).map(({ group }) => ({ teamId, group })),
    )
    const failingTeamIds = new Set(failures.map(({ teamId }) => teamId))
    const knownTeamIds = new Set([...failingTeamIds, ...respondingTeamIds])
    const hasEnoughUsers = failingTeamIds.size >= Math.min(MIN_FAILING_USERS, knownTeamIds.size)
    const isOffline = hasEnoughUsers && hasEnoughGroups(countUnrelated(failures.map(({ group }) => group)))
    return isOffline ? 'offline' : 'unclear'
  }

  clear(): void {
    this.#failuresByTeam.clear()
    this.#lastResponseAt = Number.NEGATIVE_INFINITY
  }
}
