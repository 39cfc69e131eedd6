/** Collects when API keys were used. The times are written in batches rather than with every request. */
import type { Queries } from '../storage/client.ts'
import { updateLastUsedTimes } from './store.ts'

export class LastUsedTimes {
  #pending = new Map<number, Date>()

  note(keyId: number, at: Date): void {
    this.#pending.set(keyId, at)
  }

  async flush(q: Queries): Promise<void> {
    if (this.#pending.size === 0) return
    const times = this.#pending
    this.#pending = new Map()
    try {
      await updateLastUsedTimes(q, times)
    } catch (error) {
      for (const [id, at] of times) if (!this.#pending.has(id)) this.#pending.set(id, at)
      throw error
    }
  }
}
