/** Finds what visits were like at a time, without decoding the times of all events of a block. */
import { unzigzagLarge } from './block.ts'
import type { NumberPlanes } from './column-bytes.ts'

/** The events of a visit before a time. */
export interface VisitProgress {
  hitCount: number
  /** The time of the last of these events, engagements included. */
  lastAt: number
}

interface EventTimeColumns {
  hitCounts: Int32Array
  starts: Float64Array
  engagementCounts: Int32Array
  delays: Float64Array
  /** Undefined if all gaps are 0. */
  gaps: NumberPlanes | undefined
}

export class EventTimesReader {
  readonly #columns: EventTimeColumns
  /** The visit after the one that was asked for last, and the positions of its first event and its first number of engagements. */
  #nextVisit = 0
  #nextEvent = 0
  #nextGroup = 0

  constructor(columns: EventTimeColumns) {
    this.#columns = columns
  }

  /** Visits must be asked for in ascending order. Returns undefined if the visit has no event before the time. */
  findVisit(visit: number, until: number): VisitProgress | undefined {
    const { hitCounts, starts, engagementCounts, delays, gaps } = this.#columns
    while (this.#nextVisit < visit) this.#skipVisit()
    let [event, group] = [this.#nextEvent, this.#nextGroup]
    let time = (starts[visit] as number) + unzigzagLarge(delays[visit] as number)
    const progress: VisitProgress = { hitCount: 0, lastAt: Number.NEGATIVE_INFINITY }
    for (let remainingHits = hitCounts[visit] as number; remainingHits >= 0; remainingHits--) {
      const engagements = engagementCounts[group++] as number
      const isHitLast = remainingHits > 0
      for (let remaining = engagements + Number(isHitLast); remaining > 0; remaining--) {
        time += gaps?.get(event++) ?? 0
        if (time >= until) return progress.lastAt === Number.NEGATIVE_INFINITY ? undefined : progress
        progress.lastAt = time
        if (isHitLast && remaining === 1) progress.hitCount++
      }
    }
    return progress.lastAt === Number.NEGATIVE_INFINITY ? undefined : progress
  }

  #skipVisit(): void {
    const { hitCounts, engagementCounts } = this.#columns
    const hitCount = hitCounts[this.#nextVisit++] as number
    this.#nextEvent += hitCount
    for (const end = this.#nextGroup + hitCount; this.#nextGroup <= end; this.#nextGroup++)
      this.#nextEvent += engagementCounts[this.#nextGroup] as number
  }
}
