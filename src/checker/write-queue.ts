/**
 * Results and releases of claims that wait to be stored. Each batch divides its places equally between users, so that nobody waits behind
 * thousands of another user's results.
 */
import type { ClaimRelease } from './claim-store.ts'
import { shareEvenly } from './fair-shares.ts'
import type { CompletedCheck } from './verdict.ts'

/** The result of a check, or the release of its claim if the check has no result. */
export type CheckWrite = { completed: CompletedCheck } | { release: ClaimRelease }

export interface QueuedWrite {
  write: CheckWrite
  /** From `performance.now`. */
  queuedAt: number
  /** Called when the write is stored or abandoned. */
  onEnd(): void
}

const findTeamId = (write: CheckWrite) =>
  'completed' in write ? write.completed.claimedCheck.teamId : write.release.claim.teamId

export class WriteQueue {
  readonly #writesByTeam = new Map<number, QueuedWrite[]>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(queued: QueuedWrite): void {
    this.#writesByTeam.getOrInsertComputed(findTeamId(queued.write), () => []).push(queued)
    this.#size++
  }

  /** Puts the writes of a failed batch back to the front. */
  putBack(batch: readonly QueuedWrite[]): void {
    for (const [teamId, writes] of Map.groupBy(batch, ({ write }) => findTeamId(write)))
      this.#writesByTeam.set(teamId, [...writes, ...(this.#writesByTeam.get(teamId) ?? [])])
    this.#size += batch.length
  }

  /** Removes at most `maxSize` writes, those of each user in the order in which they were added. */
  takeBatch(maxSize: number): QueuedWrite[] {
    const users = [...this.#writesByTeam]
    const shares = shareEvenly(
      users.map(([, writes]) => writes.length),
      maxSize,
    )
    const batch = users.flatMap(([teamId, writes], n) => {
      const taken = writes.splice(0, shares[n])
      if (writes.length === 0) this.#writesByTeam.delete(teamId)
      return taken
    })
    this.#size -= batch.length
    return batch
  }
}
