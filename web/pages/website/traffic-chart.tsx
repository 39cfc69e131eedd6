/** Visitors or page views over time, with the previous period and the outages of the monitors. */
import { useMemo } from 'preact/hooks'
import { MINUTE_MS } from '../../../src/shared/time.ts'
import { LineChart, type LineSeries } from '../../charts/line-chart.tsx'
import { formatCompactNumber, formatLongDay, formatNumber, formatShortDay, formatWallClock } from '../../lib/format.ts'
import { type MonitorOutage, shadeOutages } from './outages.ts'
import { formatDayRange } from './panel-labels.ts'
import { type Metric, type Statistics, usePreviousSeries } from './queries.ts'
import type { WebsiteView } from './view.ts'

const HEIGHT_PX = 280

const metricLabels: Record<Metric, string> = { visitors: 'Visitors', pageviews: 'Page views' }

interface TrafficChartProps {
  statistics: Statistics
  metric: Metric
  view: WebsiteView
  outages: readonly MonitorOutage[]
}

export function TrafficChart({ statistics, metric, view, outages }: TrafficChartProps) {
  const { website, series: seriesByMetric, previous } = statistics
  const { data: previousCounts } = usePreviousSeries(
    website.id,
    { previous, series: seriesByMetric, filters: view.filters, metric },
    view.isCompared,
  )
  const { unit, [metric]: rows } = seriesByMetric
  const slotStarts = useMemo(() => rows.map(({ value }) => value), [rows])
  const x = useMemo(() => slotStarts.map(unit === 'day' ? formatShortDay : formatWallClock), [slotStarts, unit])
  const titles = useMemo(() => (unit === 'day' ? slotStarts.map(formatLongDay) : x), [slotStarts, unit, x])
  const series = useMemo(() => {
    const lines: LineSeries[] = [
      {
        label: metricLabels[metric],
        // Future hours are gaps, not zeros.
        values: rows.map(({ value, count }) => (unit === 'hour' && Date.parse(value) > Date.now() ? null : count)),
        colourVar: '--chart-1',
        isFilled: true,
      },
    ]
    if (view.isCompared) {
      // A day on which daylight saving time starts or ends has 23 or 25 hours, so the previous day may lack an hour that
      // `rows` has.
      const values = rows.map((_, index) => previousCounts?.[index] ?? null)
      lines.push({ label: 'Previous period', values, colourVar: '--line-strong', isDashed: true })
    }
    return lines
  }, [rows, unit, metric, view.isCompared, previousCounts])
  // An ongoing outage grows, so recompute the ranges every minute; useToday re-renders the page that often.
  const minute = Math.floor(Date.now() / MINUTE_MS)
  const shadedRanges = useMemo(
    () => shadeOutages({ unit, starts: slotStarts, timeZone: website.time_zone }, outages, Date.now()),
    [unit, slotStarts, website.time_zone, outages, minute],
  )
  return (
    <LineChart
      label={describeChart(statistics, metric, x)}
      x={x}
      xTitles={titles}
      series={series}
      shadedRanges={shadedRanges}
      formatValue={formatNumber}
      formatAxis={formatCompactNumber}
      height={HEIGHT_PX}
    />
  )
}

function describeChart(statistics: Statistics, metric: Metric, x: readonly string[]): string {
  const { series, totals } = statistics
  const counts = series[metric].map(({ count }) => count)
  const max = Math.max(0, ...counts)
  const peakText =
    max > 0 ? `, peak of ${formatNumber(max)} ${series.unit === 'day' ? 'on' : 'at'} ${x[counts.indexOf(max)]}` : ''
  return `${metricLabels[metric]} per ${series.unit}, ${formatDayRange(statistics)}: ${formatNumber(totals[metric])} in total${peakText}`
}
