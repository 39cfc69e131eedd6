/** Visitor counts that are read before the page requests them. */
import { BoundedMap } from '../lib/bounded-map.ts'
import { SECOND_MS } from '../shared/time.ts'
import type { TenantId } from '../storage/tenant.ts'
import type { VisitorCounts } from './summary.ts'

/** Older counts are not used. A slow connection needs this long for the scripts of the page. */
const MAX_AGE_MS = 2 * SECOND_MS
const MAX_MEMBERS = 100

interface Preparation {
  startedAt: number
  /** Undefined if reading failed. */
  counts: Promise<VisitorCounts | undefined>
}

/**
 * Each result is used once, for a response with only the first rows. The page then requests all rows, with new counts. So nobody sees
 * for long that a visitor of the last two seconds is missing.
 */
export class PreparedVisitors {
  readonly #byMember = new BoundedMap<string, Preparation>(MAX_MEMBERS)

  /** Does nothing if the caller already has a result that can be used. */
  prepare(caller: TenantId, now: Date, read: () => Promise<VisitorCounts>): void {
    const key = toKey(caller)
    const earlier = this.#byMember.get(key)
    if (earlier !== undefined && isFresh(earlier, now)) return
    const counts = read().catch(() => undefined)
    this.#byMember.set(key, { startedAt: now.getTime(), counts })
  }

  take(caller: TenantId, now: Date): Promise<VisitorCounts | undefined> | undefined {
    const key = toKey(caller)
    const preparation = this.#byMember.get(key)
    if (preparation === undefined) return undefined
    this.#byMember.delete(key)
    return isFresh(preparation, now) ? preparation.counts : undefined
  }
}

/** A guest of the team may not see the counts of another member. */
const toKey = ({ teamId, userId }: TenantId) => `${teamId} ${userId}`

const isFresh = ({ startedAt }: Preparation, now: Date) => now.getTime() - startedAt < MAX_AGE_MS
