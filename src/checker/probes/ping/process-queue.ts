/** Limits the number of processes, and shares them between users. */
import { CheckSlots } from '../../check-slots.ts'
import { hasFreeSlotFor } from '../../fair-shares.ts'

export class ProcessQueue {
  readonly #slots: CheckSlots
  /** The functions that start the waiting work of each user. The user whose turn is next is the first entry. */
  readonly #waitingByUser = new Map<number, (() => void)[]>()

  constructor(maxProcesses: number) {
    this.#slots = new CheckSlots(maxProcesses)
  }

  async run<T>(userId: number, work: () => Promise<T>): Promise<T> {
    const { promise: turn, resolve: startWork } = Promise.withResolvers<void>()
    this.#waitingByUser.set(userId, [...(this.#waitingByUser.get(userId) ?? []), startWork])
    this.#startWaiting()
    await turn
    try {
      return await work()
    } finally {
      this.#slots.release(userId)
      this.#startWaiting()
    }
  }

  #startWaiting(): void {
    for (;;) {
      const userId = this.#waitingByUser.keys().find((id) => hasFreeSlotFor(this.#slots, id))
      if (userId === undefined) return
      const [startWork, ...others] = this.#waitingByUser.get(userId) ?? []
      this.#waitingByUser.delete(userId)
      if (others.length > 0) this.#waitingByUser.set(userId, others)
      this.#slots.take(userId)
      startWork?.()
    }
  }
}
