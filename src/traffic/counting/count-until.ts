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
import type { VisitProgress } from '../blocks/event-times-reader.ts'
import { Conditions } from './conditions.ts'
import { countMarks, matchPart } from './match-part.ts'
import type { EventTimes, PartColumns } from './part-columns.ts'
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

  add(columns: PartColumns, skippedVisitors: Float64Array | undefined): void {
    const { visits, hits } = matchPart(columns, this.#conditions, skippedVisitors)
    const { visitCounts, hitCounts, durations, starts, customHits } = columns
    const { views, actions } = columns.viewsAndActions
    this.storedVisits += countVisits(columns, skippedVisitors)
    const until = this.#until
    const { isEmpty, selectsByEvent } = this.#conditions
    const { totals } = this
    // Decoded only if a visit was running.
    let eventTimes: EventTimes | undefined
    let [visit, hit, custom] = [0, 0, 0]
    // Reading beyond the end of an array is slow.
    let nextCustomHit = customHits[0] ?? Number.POSITIVE_INFINITY
    for (let visitor = 0; visitor < visitCounts.length; visitor++) {
      const visitsBefore = totals.visits
      for (const lastVisit = visit + (visitCounts[visitor] as number); visit < lastVisit; visit++) {
        const firstHit = hit
        hit += hitCounts[visit] as number
        const startedAt = starts[visit] as number
        const durationMs = durations[visit] as number
        const isCounted = visits[visit] === 1 && startedAt < until
        let progress: VisitProgress | undefined
        if (isCounted && startedAt + durationMs >= until) {
          eventTimes ??= columns.eventTimes
          progress = eventTimes.findVisit(visit, until)
        }
        const endHit = progress === undefined ? hit : firstHit + progress.hitCount
        let [customCount, matchingEvents] = [0, 0]
        while (nextCustomHit < hit) {
          if (nextCustomHit < endHit) {
            customCount++
            matchingEvents += hits === undefined ? 1 : (hits[nextCustomHit] as number)
          }
          custom++
          nextCustomHit = custom < customHits.length ? (customHits[custom] as number) : Number.POSITIVE_INFINITY
        }
        if (!isCounted) continue
        const matchingHits = hits === undefined ? endHit - firstHit : sumRange(hits, firstHit, endHit)
        if (!isEmpty && (selectsByEvent ? matchingEvents : matchingHits) === 0) continue
        const viewsSoFar = progress === undefined ? (views[visit] as number) : endHit - firstHit - customCount
        const hadAction = actions[visit] !== 0 && (progress === undefined || customCount > 0)
        totals.visits++
        totals.durationMs += progress === undefined ? durationMs : Math.max(progress.lastAt - startedAt, 0)
        if (viewsSoFar <= 1 && !hadAction) totals.bounces++
        totals.views += hits === undefined ? viewsSoFar : matchingHits - matchingEvents
        totals.events += matchingEvents
      }
      if (totals.visits > visitsBefore) totals.visitors++
    }
  }
}

function sumRange(marks: Uint8Array, from: number, to: number): number {
  let sum = 0
  for (let index = from; index < to; index++) sum += marks[index] as number
  return sum
}

const noConditions = new Conditions([])

/** Counts the visits of visitors that are not skipped. */
function countVisits(columns: PartColumns, skippedVisitors: Float64Array | undefined): number {
  if (skippedVisitors === undefined) return columns.sizes.visits
  return countMarks(matchPart(columns, noConditions, skippedVisitors).visits)
}
