/**
 * Avoids looking up the caller on every request. An entry can be out of date, but every database access checks that the key or
 * session still exists.
 */

import { BoundedMap } from '../lib/bounded-map.ts'
import type { Caller } from '../storage/caller.ts'

const MAX_AGE_MS = 60_000
const MAX_CALLERS = 10_000

export class CallerCache {
  readonly #entries = new BoundedMap<string, { caller: Caller; expiresAt: number }>(MAX_CALLERS)

  find(tokenDigest: string, now: Date): Caller | undefined {
    const entry = this.#entries.get(tokenDigest)
    return entry !== undefined && now.getTime() < entry.expiresAt ? entry.caller : undefined
  }

  set(tokenDigest: string, caller: Caller, now: Date): void {
    const sessionEndsAt = caller.kind === 'session' ? caller.expiresAt.getTime() : Number.POSITIVE_INFINITY
    this.#entries.set(tokenDigest, { caller, expiresAt: Math.min(now.getTime() + MAX_AGE_MS, sessionEndsAt) })
  }

  delete(tokenDigest: string): void {
    this.#entries.delete(tokenDigest)
  }
}
