/**
 * Spares the look-up of who shows a token. It may be stale: every flight to the database enters anew, and a key
 * or session that is gone is refused there.
 */

import { BoundedMap } from '../lib/bounded-map.ts'
import type { Caller } from '../storage/caller.ts'

const KEEP_MS = 60_000
const MOST = 10_000

export class CallerCache {
  readonly #entries = new BoundedMap<string, { caller: Caller; until: number }>(MOST)

  find(digest: string, now: Date): Caller | undefined {
    const entry = this.#entries.get(digest)
    return entry !== undefined && now.getTime() < entry.until ? entry.caller : undefined
  }

  keep(digest: string, caller: Caller, now: Date): void {
    const sessionEnd = caller.kind === 'session' ? caller.expiresAt.getTime() : Number.POSITIVE_INFINITY
    this.#entries.set(digest, { caller, until: Math.min(now.getTime() + KEEP_MS, sessionEnd) })
  }

  forget(digest: string): void {
    this.#entries.delete(digest)
  }
}
