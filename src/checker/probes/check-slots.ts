/**
 * A user can hold up to this many slots for each slot that stays free. So a single user can hold four fifths of all
 * slots. However many users have hanging checks, a check of another user finds a free slot immediately.
 */
export const MAX_HELD_PER_FREE_SLOT = 4

/**
 * Counts the slots that each user holds. A slot stands for a claimed check, a running piece of work or a block of
 * memory.
 */
export class CheckSlots {
  readonly #max: number
  readonly #heldByTeam = new Map<number, number>()
  #heldCount = 0

  constructor(max: number) {
    this.#max = max
  }

  get freeCount(): number {
    return this.#max - this.#heldCount
  }

  countHeldBy(teamId: number): number {
    return this.#heldByTeam.get(teamId) ?? 0
  }

  /** Whether a user can take one more slot. */
  hasFreeSlotFor(teamId: number): boolean {
    return this.countHeldBy(teamId) + 1 <= MAX_HELD_PER_FREE_SLOT * (this.freeCount - 1)
  }

  take(teamId: number): void {
    this.#heldCount++
    this.#heldByTeam.set(teamId, this.countHeldBy(teamId) + 1)
  }

  release(teamId: number): void {
    this.#heldCount--
    const remaining = this.countHeldBy(teamId) - 1
    if (remaining > 0) this.#heldByTeam.set(teamId, remaining)
    else this.#heldByTeam.delete(teamId)
  }
}
