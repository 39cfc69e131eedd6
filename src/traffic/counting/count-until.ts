/**
 * Counts the part of a day before a time. Totals of days can't be divided, so the visits and events of this part are counted. The
 * result is what a request at that time would have returned: a visit that was still running has the length that it had then, and is a
 * bounce if it was one then.
 *
 * Events don't store whether they were passive (`interactive: false`), but a visit stores its number of actions. If it is 0, all
 * custom events of the visit were passive. Otherwise its custom events before that time count as actions.
 *
 * A filter by exit page uses the last page of the whole visit, even if the visitor opened that page later.
 */
import type { BlockEventTimes } from '../blocks/block-reader.ts'
import { Conditions } from './conditions.ts'
import { matchPart } from './match-part.ts'
import type { PartColumns } from './part-columns.ts'
import { type CountedTotals, createTotals, type FilterCondition } from './question.ts'

export class UntilCounter {
  readonly totals: CountedTotals = createTotals()
  /** All visits of the day that are stored, whether they match or not. */
  storedVisits = 0
  readonly #conditions: Conditions
  readonly #until: number

  constructor(conditions: readonly FilterCondition[], until: number) {
    this.#conditions = new Conditions(conditions)
    this.#until = until
  }

  add(columns: PartColumns, excludedVisitors: Float64Array | undefined): void {
    const { visits, hits } = matchPart(columns, this.#conditions, excludedVisitors)
    const { visitCounts, hitCounts, durations, starts } = columns
    const { views, actions } = columns.viewsAndActions
    const customHits = columns.customHits.hits
    const running = new RunningVisits(columns, this.#until)
    this.storedVisits += countVisits(columns, excludedVisitors)
    const { isEmpty, selectsByEvent } = this.#conditions
    let [visit, hit, custom] = [0, 0, 0]
    for (let visitor = 0; visitor < visitCounts.length; visitor++) {
      let isMatchingVisitor = false
      for (const lastVisit = visit + (visitCounts[visitor] as number); visit < lastVisit; visit++) {
        const firstHit = hit
        hit += hitCounts[visit] as number
        const startedAt = starts[visit] as number
        if (visits[visit] === 0 || startedAt >= this.#until) continue
        const isRunning = startedAt + (durations[visit] as number) >= this.#until
        const state = isRunning ? running.find(visit, firstHit) : undefined
        const endHit = state?.endHit ?? hit
        let matchingHits = endHit - firstHit
        if (hits !== undefined)
          for (let index = firstHit; index < endHit; index++) matchingHits -= 1 - (hits[index] as number)
        let [matchingEvents, customs] = [0, 0]
        while ((customHits[custom] as number) < firstHit) custom++
        for (; (customHits[custom] as number) < endHit; custom++) {
          customs++
          matchingEvents += hits === undefined ? 1 : (hits[customHits[custom] as number] as number)
        }
        if (!isEmpty && (selectsByEvent ? matchingEvents : matchingHits) === 0) continue
        const viewsThen = state === undefined ? (views[visit] as number) : endHit - firstHit - customs
        const hadAction = state === undefined ? actions[visit] !== 0 : customs > 0 && actions[visit] !== 0
        isMatchingVisitor = true
        this.totals.visits++
        this.totals.durationMs += state?.durationMs ?? (durations[visit] as number)
        if (viewsThen <= 1 && !hadAction) this.totals.bounces++
        this.totals.views += hits === undefined ? viewsThen : matchingHits - matchingEvents
        this.totals.events += matchingEvents
      }
      if (isMatchingVisitor) this.totals.visitors++
    }
  }
}

const noConditions = new Conditions([])

/** Counts the visits of visitors that are not skipped. */
function countVisits(columns: PartColumns, excludedVisitors: Float64Array | undefined): number {
  if (excludedVisitors === undefined) return columns.sizes.visits
  return matchPart(columns, noConditions, excludedVisitors).visits.reduce((sum, isMatching) => sum + isMatching, 0)
}

interface VisitThen {
  /** The first hit that came later. */
  endHit: number
  durationMs: number
}

/** What visits were like at a time while they were running. Event times are decoded only if there is such a visit. */
class RunningVisits {
  readonly #columns: PartColumns
  readonly #until: number
  #times: BlockEventTimes | undefined
  #starts: Float64Array | undefined
  /** The visit after the one that was asked for last, and its first event. */
  #nextVisit = 0
  #nextEvent = 0

  constructor(columns: PartColumns, until: number) {
    this.#columns = columns
    this.#until = until
  }

  /** Visits must be asked for in ascending order. Returns undefined if no events of the visit are stored. */
  find(visit: number, firstHit: number): VisitThen | undefined {
    this.#times ??= this.#columns.eventTimes
    this.#starts ??= this.#columns.starts
    const { eventCounts, at, isEngagement } = this.#times
    for (; this.#nextVisit < visit; this.#nextVisit++) this.#nextEvent += eventCounts[this.#nextVisit] as number
    const startedAt = this.#starts[visit] as number
    let lastAt = Number.NEGATIVE_INFINITY
    let endHit = firstHit
    const endEvent = this.#nextEvent + (eventCounts[visit] as number)
    for (let event = this.#nextEvent; event < endEvent && (at[event] as number) < this.#until; event++) {
      lastAt = at[event] as number
      if (isEngagement[event] === 0) endHit++
    }
    if (lastAt === Number.NEGATIVE_INFINITY) return undefined
    return { endHit, durationMs: Math.max(lastAt, startedAt) - startedAt }
  }
}
