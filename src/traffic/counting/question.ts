/** What the counting threads are asked, and what they answer for one day. */
import { type Dimension, dimensionTable } from '../model/dimensions.ts'

/** The value of the dimension must have one of these ids. Several conditions must all hold. */
export interface FilterCondition {
  dimension: Dimension
  ids: readonly number[]
}

/** A filter by event selects visits that have a matching event. The page views of these visits count, too. */
export function selectsByEvent(conditions: readonly FilterCondition[]): boolean {
  return conditions.some(({ dimension }) => dimension === 'event')
}

/**
 * Returns the ids that meet all conditions on the dimension, or undefined if there is no condition on it. Only the country
 * can have two conditions, because a filter by continent becomes a condition on the country.
 */
export function findMatchingIds(conditions: readonly FilterCondition[], dimension: Dimension): Set<number> | undefined {
  const [first, ...others] = conditions
    .filter((condition) => condition.dimension === dimension)
    .map(({ ids }) => new Set(ids))
  return first === undefined ? undefined : others.reduce((common, ids) => common.intersection(ids), first)
}

export type Question =
  | {
      kind: 'statistics'
      conditions: readonly FilterCondition[]
      /** The dimensions whose values are counted. */
      panels: readonly Dimension[]
      totals: boolean
      hours: boolean
    }
  | { kind: 'rows'; conditions: readonly FilterCondition[]; dimension: Dimension }
  /** The day until a time, in milliseconds since 1970. */
  | { kind: 'until'; conditions: readonly FilterCondition[]; until: number }

/** The totals of all matching visits. */
export interface CountedTotals {
  visitors: number
  visits: number
  bounces: number
  durationMs: number
  views: number
  events: number
}

export const createTotals = (): CountedTotals => ({
  visitors: 0,
  visits: 0,
  bounces: 0,
  durationMs: 0,
  views: 0,
  events: 0,
})

/** Numbers by the id of a value. Both arrays have the same length. */
export interface CountedValues {
  ids: Int32Array
  counts: Float64Array
}

/** A local day has 25 hours at most. */
export const MAX_HOURS = 25

/** Numbers by hour of the day. The last four are about the visits that began in the hour. */
export const hourNumbers = [
  'visitor_hours',
  'view_hours',
  'event_hours',
  'visits',
  'bounces',
  'durationMs',
  'views',
] as const
export type HourNumber = (typeof hourNumbers)[number]
export type CountedHours = Record<HourNumber, Float64Array>

export const createHours = (): CountedHours =>
  Object.fromEntries(hourNumbers.map((name) => [name, new Float64Array(MAX_HOURS)])) as CountedHours

export const rowNumbers = ['visitors', 'visits', 'views', 'events', 'bounces', 'durationMs'] as const
export type RowNumber = (typeof rowNumbers)[number]

/** What was counted on one day. Only what the question asks for is defined. */
export interface DayCounts {
  totals: CountedTotals
  /** By dimension. */
  panels: Partial<Record<Dimension, CountedValues>>
  hours: CountedHours | undefined
  /** The totals of each value of the dimension. */
  rows: Record<RowNumber, CountedValues> | undefined
  /** All visits that are stored, whether they match or not. */
  storedVisits: number
}

/** Visitors, page views or events: what a panel of the dimension counts. */
export const countsHits = (dimension: Dimension): boolean =>
  dimensionTable[dimension].scope === 'view' || dimensionTable[dimension].scope === 'event'
