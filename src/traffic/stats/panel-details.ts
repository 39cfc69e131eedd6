/**
 * What a panel says about each value beside its count: visitors, visits, page views, bounce rate and length of visits.
 * Only the counts of values are stored, so these totals are counted from the visits of the period, as filtered
 * statistics are. A row has the totals that a filter by its value would give.
 */
import type { TransactionQueries } from '../../storage/transaction.ts'
import { addToTable } from '../counting/counted-values.ts'
import {
  type DayCounts,
  detailFigures,
  type FilterCondition,
  type Question,
  selectsByEvent,
} from '../counting/question.ts'
import { CountTable, type ReadableCounts } from '../model/count-table.ts'
import { type Dimension, dimensionTable } from '../model/dimensions.ts'
import { type Counting, countDays } from './count-days.ts'
import { computeAverages } from './figures.ts'
import type { RowDetails } from './schema.ts'
import type { WebsiteDays } from './store.ts'

/** The totals of each value of one dimension, by the id of the value. */
export class PanelDetails {
  readonly visitors = new CountTable()
  readonly visits = new CountTable()
  readonly views = new CountTable()
  /** Counted only for the dimension event. */
  readonly events = new CountTable()
  readonly bounces = new CountTable()
  readonly durationMs = new CountTable()
  /** All visits that were counted. A visit can have several values, or none. */
  visitCount = 0
  readonly dimension: Dimension
  /** False if all visits have an event. Hardly any of them is a bounce, so a bounce rate would say little. */
  readonly #hasBounceRate: boolean

  constructor(dimension: Dimension, conditions: readonly FilterCondition[]) {
    this.dimension = dimension
    this.#hasBounceRate = dimension !== 'event' && !selectsByEvent(conditions)
  }

  /** What the rows of the panel count. */
  get counts(): ReadableCounts {
    const { scope } = dimensionTable[this.dimension]
    return scope === 'view' ? this.views : scope === 'event' ? this.events : this.visitors
  }

  add({ totals, details }: DayCounts): void {
    this.visitCount += totals.visits
    for (const name of detailFigures) addToTable(this[name], details?.[name] ?? [])
  }

  /** Values of several ids are summed up. That is right for countries, because a visitor has one country a day. */
  getDetails(ids: readonly number[]): RowDetails {
    const sumOf = (table: CountTable) => ids.reduce((sum, id) => sum + (table.get(id) ?? 0), 0)
    const visits = sumOf(this.visits)
    const bounces = this.#hasBounceRate ? sumOf(this.bounces) : null
    const totals = { visits, bounces, durationMs: sumOf(this.durationMs), views: sumOf(this.views) }
    const { bounce_rate, visit_duration } = computeAverages(totals)
    return { visitors: sumOf(this.visitors), visits, pageviews: totals.views, bounce_rate, visit_duration }
  }
}

/** Returns the details of a row. Several ids are those of the countries of a continent. */
export type FindRowDetails = (ids: readonly number[], count: number) => RowDetails

/**
 * Without details, only the count of a row is known: on days whose visits are no longer stored, or were imported as
 * totals.
 */
export function createDetailsFinder(dimension: Dimension, details: PanelDetails | undefined): FindRowDetails {
  if (details !== undefined) return (ids) => details.getDetails(ids)
  const { scope } = dimensionTable[dimension]
  const unknown: RowDetails = { visitors: null, visits: null, pageviews: null, bounce_rate: null, visit_duration: null }
  if (scope === 'event') return () => unknown
  return (_, count) => ({ ...unknown, [scope === 'view' ? 'pageviews' : 'visitors']: count })
}

export async function readPanelDetails(
  q: TransactionQueries,
  counting: Counting,
  days: WebsiteDays,
  conditionsPromise: Promise<readonly FilterCondition[]>,
  dimension: Dimension,
): Promise<PanelDetails> {
  const questionPromise = conditionsPromise.then((conditions): Question => ({ kind: 'details', conditions, dimension }))
  const countsByDay = await countDays(q, counting, days, questionPromise)
  const details = new PanelDetails(dimension, await conditionsPromise)
  for (const counts of countsByDay.values()) details.add(counts)
  return details
}
