/** Remembers when keys were used, and writes it down now and then: no write per request. */
import type { Queries } from '../storage/client.ts'
import { updateLastUsed } from './store.ts'

export class LastUsed {
  #uses = new Map<number, Date>()

  note(keyId: number, at: Date): void {
    this.#uses.set(keyId, at)
  }

  async flush(q: Queries): Promise<void> {
    if (this.#uses.size === 0) return
    const uses = this.#uses
    this.#uses = new Map()
    try {
      await updateLastUsed(q, uses)
    } catch (error) {
      for (const [id, at] of uses) if (!this.#uses.has(id)) this.#uses.set(id, at)
      throw error
    }
  }
}
