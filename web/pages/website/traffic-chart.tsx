/** One metric over time, with the earlier period and the outages of the monitors. */

import { useMemo } from 'preact/hooks'
import { MINUTE_MS } from '../../../src/shared/time.ts'
import { LineChart, type LineSeries } from '../../charts/line-chart.tsx'
import { formatDays } from '../../lib/format.ts'
import type { DayRange } from './calendar.ts'
import { figures, type MetricName } from './metrics.ts'
import { createOutageBands, type MonitorOutage } from './outages.ts'
import type { Statistics } from './queries.ts'
import { formatSlotLabels, formatSlotTitle, getSlotDays } from './slots.ts'
import { TrafficTooltip } from './traffic-tooltip.tsx'
import type { ComparisonName } from './view.ts'

export const CHART_HEIGHT_PX = 300

interface TrafficChartProps {
  statistics: Statistics
  metric: MetricName
  comparison: ComparisonName
  outages: readonly MonitorOutage[]
  onZoom: (range: DayRange) => void
}

export function TrafficChart({ statistics, metric, comparison, outages, onZoom }: TrafficChartProps) {
  const { website, series: allSeries, previous, from, to } = statistics
  const { unit } = allSeries
  const rows = allSeries[metric]
  const previousRows = previous?.series[metric]
  const { first_day: firstDay } = website
  const { label, format, axisKind } = figures[metric]
  const range = useMemo(() => ({ from, to }), [from, to])
  const starts = useMemo(() => rows.map(({ value }) => value), [rows])
  const labels = useMemo(() => formatSlotLabels(unit, starts, range), [starts, unit, range])
  const titles = useMemo(() => starts.map((value) => formatSlotTitle(unit, value, range)), [starts, unit, range])
  const lines = useMemo(() => {
    const current: LineSeries = {
      label,
      values: rows.map(({ count }) => count),
      colourVar: '--chart-1',
      isFilled: true,
    }
    // Without earlier traffic, there is nothing to compare with.
    if (!previousRows?.some(({ count }) => count)) return [current]
    // The earlier period may have fewer slots: a day on which daylight saving time starts has only 23 hours.
    const values = rows.map((_, index) => {
      const row = previousRows[index]
      const isBeforeTraffic = row !== undefined && firstDay !== null && row.value.slice(0, 10) < firstDay
      return isBeforeTraffic ? null : (row?.count ?? null)
    })
    const previousLine: LineSeries = {
      label: comparison === 'year' ? 'Previous year' : 'Previous period',
      values,
      colourVar: '--line-strong',
      isDashed: true,
    }
    return [current, previousLine]
  }, [label, rows, previousRows, firstDay, comparison])
  const incompleteIndex = allSeries.incomplete === null ? -1 : starts.indexOf(allSeries.incomplete)
  // An ongoing outage grows, so recompute the bands every minute; useToday re-renders the page that often.
  const minute = Math.floor(Date.now() / MINUTE_MS)
  const bands = useMemo(
    () => createOutageBands({ unit, starts, range, timeZone: website.time_zone }, outages, Date.now()),
    [unit, starts, range, website.time_zone, outages, minute],
  )
  const getZoomRange = (fromIndex: number, toIndex: number): DayRange => ({
    from: getSlotDays(unit, starts[fromIndex] ?? from, range).from,
    to: getSlotDays(unit, starts[toIndex] ?? to, range).to,
  })
  return (
    <LineChart
      label={describeChart(statistics, metric, titles)}
      x={labels}
      xTitles={titles}
      series={lines}
      incompleteIndex={incompleteIndex === -1 ? undefined : incompleteIndex}
      bands={bands}
      renderTooltip={(index) => (
        <TrafficTooltip statistics={statistics} metric={metric} index={index} title={titles[index] ?? ''} />
      )}
      // A range consists of whole days, so a single day can't be zoomed.
      {...(from !== to && {
        onZoom: (fromIndex: number, toIndex: number) => {
          const zoomedRange = getZoomRange(fromIndex, toIndex)
          if (zoomedRange.from !== from || zoomedRange.to !== to) onZoom(zoomedRange)
        },
      })}
      formatValue={format}
      axisKind={axisKind}
      height={CHART_HEIGHT_PX}
    />
  )
}

function describeChart(statistics: Statistics, metric: MetricName, titles: readonly string[]): string {
  const { series, totals } = statistics
  const { label, format } = figures[metric]
  const isCount = ['visitors', 'visits', 'pageviews', 'events'].includes(metric)
  const values = series[metric].map(({ count }) => count ?? 0)
  const max = Math.max(0, ...values)
  const total = totals[metric]
  const totalText = total === null ? 'no data' : `${format(total)} ${isCount ? 'in total' : 'on average'}`
  const peakText = max > 0 ? `, peak of ${format(max)} (${titles[values.indexOf(max)]})` : ''
  return `${label} per ${series.unit}, ${formatDays(statistics)}: ${totalText}${peakText}`
}
