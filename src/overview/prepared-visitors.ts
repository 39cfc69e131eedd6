/** Visitor counts that are read before the page requests them. */
import { BoundedMap } from '../lib/bounded-map.ts'
import { SECOND_MS } from '../shared/time.ts'
import type { VisitorCounts } from './summary.ts'

/** Older counts are not used. A slow connection needs this long for the scripts of the page. */
const MAX_AGE_MS = 2 * SECOND_MS
const MAX_USERS = 100

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
  readonly #byUser = new BoundedMap<number, Preparation>(MAX_USERS)

  /** Does nothing if the user already has a result that can be used. */
  prepare(teamId: number, now: Date, read: () => Promise<VisitorCounts>): void {
    const earlier = this.#byUser.get(teamId)
    if (earlier !== undefined && isFresh(earlier, now)) return
    const counts = read().catch(() => undefined)
    this.#byUser.set(teamId, { startedAt: now.getTime(), counts })
  }

  take(teamId: number, now: Date): Promise<VisitorCounts | undefined> | undefined {
    const preparation = this.#byUser.get(teamId)
    if (preparation === undefined) return undefined
    this.#byUser.delete(teamId)
    return isFresh(preparation, now) ? preparation.counts : undefined
  }
}

const isFresh = ({ startedAt }: Preparation, now: Date) => now.getTime() - startedAt < MAX_AGE_MS
