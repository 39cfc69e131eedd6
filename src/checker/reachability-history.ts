/** Recent failures and responses, and what they say about our own network. All times come from `performance.now`. */
import { countUnrelated, type NetworkGroup } from './network-groups.ts'

const MIN_UNRELATED_GROUPS = 5
/** If a smaller share of the checks failed, the network counts as up. */
const MIN_FAILURE_SHARE = 0.9
const MAX_AGE_MS = 60_000
/** Applies to failures and responses separately. More entries would not change the share of failures noticeably. */
const MAX_ENTRIES = 500

/** Whether failures in this many unrelated network groups suggest that our own network is down. */
export const hasEnoughGroups = (unrelatedCount: number) => unrelatedCount >= MIN_UNRELATED_GROUPS

export class ReachabilityHistory {
  #failures: { group: NetworkGroup; at: number }[] = []
  #responseTimestamps: number[] = []

  addResponse(now: number): void {
    if (this.#responseTimestamps.push(now) > MAX_ENTRIES)
      this.#responseTimestamps = this.#responseTimestamps.slice(-MAX_ENTRIES / 2)
  }

  addFailure(group: NetworkGroup, now: number): void {
    if (this.#failures.push({ group, at: now }) > MAX_ENTRIES) this.#failures = this.#failures.slice(-MAX_ENTRIES / 2)
  }

  /** Decides from the checks that ended after `since`. */
  judge(since: number, now: number): 'online' | 'offline' | 'unclear' {
    const from = Math.max(since, now - MAX_AGE_MS)
    const failures = this.#failures.filter(({ at }) => at >= from)
    const responseCount = this.#responseTimestamps.filter((at) => at >= from).length
    if (failures.length < MIN_FAILURE_SHARE * (failures.length + responseCount)) return 'online'
    return hasEnoughGroups(countUnrelated(failures.map(({ group }) => group))) ? 'offline' : 'unclear'
  }

  hasResponse(since: number): boolean {
    return this.#responseTimestamps.some((at) => at >= since)
  }

  clear(): void {
    this.#failures = []
    this.#responseTimestamps = []
  }
}
