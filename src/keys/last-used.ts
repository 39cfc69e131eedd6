/** Collects when API keys were used. The times are written in batches rather than with every request. */
import type { Queries } from '../storage/transaction.ts'
import { updateLastUsedTimes } from './store.ts'

export class LastUsedTimes {
  #pendingTimes = new Map<number, Date>()

  recordUse(keyId: number, at: Date): void {
    this.#pendingTimes.set(keyId, at)
  }

  async flush(q: Queries): Promise<void> {
    if (this.#pendingTimes.size === 0) return
    const times = this.#pendingTimes
    this.#pendingTimes = new Map()
    try {
      await updateLastUsedTimes(q, times)
    } catch (error) {
      for (const [id, at] of times) if (!this.#pendingTimes.has(id)) this.#pendingTimes.set(id, at)
      throw error
    }
  }
}
