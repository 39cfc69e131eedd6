/** What the counting threads are asked, and what they answer for one day. */
import type { Dimension } from '../model/dimensions.ts'
import type { CountedValues } from './counted-values.ts'

/** The value of the dimension must have one of these ids. Several conditions must all hold. */
export interface FilterCondition {
  dimension: Dimension
  ids: readonly number[]
}

/** A filter by event selects visits that have a matching event. The page views of these visits count, too. */
export function selectsByEvent(conditions: readonly FilterCondition[]): boolean {
  return conditions.some(({ dimension }) => dimension === 'event')
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
  /** The figures of each value of the dimension. */
  | { kind: 'details'; conditions: readonly FilterCondition[]; dimension: Dimension }
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

/** A local day has 25 hours at most. */
export const MAX_HOURS = 25

/**
 * Numbers by hour of the day. The first three are about the hour itself, with the names of `HourStatistics`. The last four are about the
 * visits that began in the hour.
 */
export const hourFigures = [
  'visitor_hours',
  'view_hours',
  'event_hours',
  'visits',
  'bounces',
  'durationMs',
  'views',
] as const
export type HourFigure = (typeof hourFigures)[number]
export type CountedHours = Record<HourFigure, Float64Array>

export const createHours = (): CountedHours =>
  Object.fromEntries(hourFigures.map((name) => [name, new Float64Array(MAX_HOURS)])) as CountedHours

export const detailFigures = ['visitors', 'visits', 'views', 'events', 'bounces', 'durationMs'] as const
export type DetailFigure = (typeof detailFigures)[number]

/** What was counted on one day. Only what the question asks for is defined. */
export interface DayCounts {
  totals: CountedTotals
  /** By dimension. */
  panels: Partial<Record<Dimension, CountedValues>>
  hours: CountedHours | undefined
  /** By the id of a value of the dimension. */
  details: Record<DetailFigure, CountedValues> | undefined
  /** All visits that are stored, whether they match or not. */
  storedVisits: number
}

/** Sums the counts of different visitors of the same day. */
export function mergeDayCounts(one: DayCounts, other: DayCounts): DayCounts {
  const panels = { ...one.panels }
  for (const [dimension, values] of Object.entries(other.panels) as [Dimension, CountedValues][]) {
    panels[dimension] = [...(panels[dimension] ?? []), ...values]
  }
  return {
    totals: addNumbers(one.totals, other.totals),
    panels,
    hours: addRecords(one.hours, other.hours, addArrays),
    details: addRecords(one.details, other.details, (values, otherValues) => [...values, ...otherValues]),
    storedVisits: one.storedVisits + other.storedVisits,
  }
}

function addNumbers(one: CountedTotals, other: CountedTotals): CountedTotals {
  const names = Object.keys(one) as (keyof CountedTotals)[]
  return Object.fromEntries(names.map((name) => [name, one[name] + other[name]])) as unknown as CountedTotals
}

const addArrays = (one: Float64Array, other: Float64Array) =>
  one.map((value, index) => value + (other[index] as number))

function addRecords<Name extends string, T>(
  one: Record<Name, T> | undefined,
  other: Record<Name, T> | undefined,
  add: (one: T, other: T) => T,
): Record<Name, T> | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const names = Object.keys(one) as Name[]
  return Object.fromEntries(names.map((name) => [name, add(one[name], other[name])])) as Record<Name, T>
}
