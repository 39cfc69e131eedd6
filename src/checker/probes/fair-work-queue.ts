/** Limits how much work runs at the same time, such as ping processes or requests to a registry. Users take turns. */
import { CheckSlots } from './check-slots.ts'

export class FairWorkQueue {
  readonly #slots: CheckSlots
  /**
   * The functions that start the waiting work of each user, in order. The user whose turn is next is the first entry. Removing the
   * first element of a Set takes constant time; of an array, it takes longer the more work is waiting.
   */
  readonly #waitingByTeam = new Map<number, Set<() => void>>()

  constructor(slots: number) {
    this.#slots = new CheckSlots(slots)
  }

  async run<T>(teamId: number, work: () => Promise<T>): Promise<T> {
    const { promise: turn, resolve: startWork } = Promise.withResolvers<void>()
    this.#waitingByTeam.getOrInsertComputed(teamId, () => new Set()).add(startWork)
    this.#startWaiting()
    await turn
    try {
      return await work()
    } finally {
      this.#slots.release(teamId)
      this.#startWaiting()
    }
  }

  #startWaiting(): void {
    for (;;) {
      const teamId = this.#waitingByTeam.keys().find((id) => this.#slots.hasFreeSlotFor(id))
      if (teamId === undefined) return
      const waitingStarts = this.#waitingByTeam.get(teamId) as Set<() => void>
      const [startWork] = waitingStarts
      waitingStarts.delete(startWork as () => void)
      this.#waitingByTeam.delete(teamId)
      if (waitingStarts.size > 0) this.#waitingByTeam.set(teamId, waitingStarts)
      this.#slots.take(teamId)
      startWork?.()
    }
  }
}
