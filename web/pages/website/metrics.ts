/** The figures above the chart, each of which the chart can draw. */
import type { StatisticsTotals } from '../../../src/traffic/stats/schema.ts'
import { formatCompactNumber, formatDurationSeconds, formatNumber, formatPercentage } from '../../lib/format.ts'
import type { TrafficFilter } from './filters.ts'

/** What the chart can show. */
export type MetricName = keyof StatisticsTotals

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

export const figures: Record<MetricName, FigureInfo> = {
  visitors: createCount('Visitors'),
  visits: createCount('Visits'),
  pageviews: createCount('Page views'),
  views_per_visit: createCount('Views per visit'),
  bounce_rate: { label: 'Bounce rate', format: formatPercentage, axisKind: 'percent', isLowerBetter: true },
  visit_duration: { label: 'Visit duration', format: formatDurationSeconds, axisKind: 'duration' },
  events: createCount('Events'),
}

/** Whether the figure counts something. The others are averages and rates. */
export const isCountFigure = (name: MetricName) =>
  name === 'visitors' || name === 'visits' || name === 'pageviews' || name === 'events'

export const DEFAULT_METRIC: MetricName = 'visitors'

export const isMetricName = (text: string): text is MetricName => Object.hasOwn(figures, text)

/** If an event is filtered, the statistics contain only visits with that event. These visits are conversions. */
export const isEventFiltered = (filters: readonly TrafficFilter[]) => filters.some(({ name }) => name === 'event')

/**
 * Leaves out the bounce rate if an event is filtered, because visits with an event are hardly ever bounces. Leaves out
 * events if the website sends none.
 */
export function listFigures(filters: readonly TrafficFilter[], { events }: StatisticsTotals): MetricName[] {
  const hasEventFilter = isEventFiltered(filters)
  return (Object.keys(figures) as MetricName[]).filter((name) => {
    if (name === 'bounce_rate') return !hasEventFilter
    return name !== 'events' || events > 0 || hasEventFilter
  })
}
