/** The figures above the chart. Those that have a series can be drawn in the chart. */
import type { StatisticsSeries, StatisticsTotals } from '../../../src/traffic/stats/schema.ts'
import { formatCompactNumber, formatDurationSeconds, formatNumber, formatPercentage } from '../../lib/format.ts'
import type { TrafficFilter } from './filters.ts'

/** What the chart can show. */
export type MetricName = Exclude<keyof StatisticsSeries, 'unit' | 'incomplete'>
export type FigureName = keyof StatisticsTotals

export interface FigureInfo {
  label: string
  format: (value: number) => string
  axisKind: 'count' | 'percent' | 'duration'
  /** True for the bounce rate. */
  isLowerBetter?: boolean
}

/** Larger numbers don't fit their column, so they are shown in compact form. */
const MIN_COMPACT_NUMBER = 10_000_000
const formatTotal = (value: number) => (value < MIN_COMPACT_NUMBER ? formatNumber(value) : formatCompactNumber(value))

const createCount = (label: string): FigureInfo => ({ label, format: formatTotal, axisKind: 'count' })

export const figures: Record<FigureName, FigureInfo> = {
  visitors: createCount('Visitors'),
  visits: createCount('Visits'),
  pageviews: createCount('Page views'),
  views_per_visit: createCount('Views per visit'),
  bounce_rate: { label: 'Bounce rate', format: formatPercentage, axisKind: 'percent', isLowerBetter: true },
  visit_duration: { label: 'Visit duration', format: formatDurationSeconds, axisKind: 'duration' },
  events: createCount('Events'),
}

export const DEFAULT_METRIC: MetricName = 'visitors'

export const isMetricName = (text: string): text is MetricName => Object.hasOwn(figures, text) && text !== 'events'

/** A filter by event leaves only visits with such an event: conversions. */
export const isEventFiltered = (filters: readonly TrafficFilter[]) => filters.some(({ name }) => name === 'event')

/** The figures that make sense. A visit with an event is never a bounce, and many websites send no events. */
export function listFigures(filters: readonly TrafficFilter[], { events }: StatisticsTotals): FigureName[] {
  const hasEventFilter = isEventFiltered(filters)
  return (Object.keys(figures) as FigureName[]).filter((name) => {
    if (name === 'bounce_rate') return !hasEventFilter
    return name !== 'events' || events > 0 || hasEventFilter
  })
}
