/** Collects when and from where API keys were used. The uses are written in batches rather than with every request. */
import type { Queries } from '../storage/transaction.ts'
import { type KeyUse, updateLastUses } from './store.ts'

export class LastUsedTimes {
  #pendingUses = new Map<number, KeyUse>()

  recordUse(keyId: number, use: KeyUse): void {
    this.#pendingUses.set(keyId, use)
  }

  async flush(q: Queries): Promise<void> {
    if (this.#pendingUses.size === 0) return
    const uses = this.#pendingUses
    this.#pendingUses = new Map()
    try {
      await updateLastUses(q, uses)
    } catch (error) {
      for (const [id, use] of uses) if (!this.#pendingUses.has(id)) this.#pendingUses.set(id, use)
      throw error
    }
  }
}
