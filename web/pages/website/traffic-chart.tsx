/** The one chart: visitors or page views, the time before beside them, and when the website was down. */
import { useMemo } from 'preact/hooks'
import { LineChart, type LineSeries } from '../../charts/line-chart.tsx'
import { formatNumber, formatCompact, formatShortDay, formatWallClock, formatWeekday } from '../../lib/format.ts'
import { type Outage, shadeOutages } from './outages.ts'
import { nameDays } from './panel-labels.ts'
import { type Metric, type Statistics, useEarlierSeries } from './queries.ts'
import type { View } from './view.ts'

const HEIGHT = 280
const MINUTE_MS = 60_000

const labels: Record<Metric, string> = { visitors: 'Visitors', pageviews: 'Page views' }

interface TrendProps {
  statistics: Statistics
  metric: Metric
  view: View
  outages: readonly Outage[]
}

export function Trend({ statistics, metric, view, outages }: TrendProps) {
  const { website, series: all, previous } = statistics
  const { data: earlier } = useEarlierSeries(
    website.id,
    { previous, series: all, filters: view.filters, metric },
    view.isCompared,
  )
  const { unit, [metric]: rows } = all
  const names = useMemo(() => rows.map(({ value }) => value), [rows])
  const x = useMemo(() => names.map(unit === 'day' ? formatShortDay : formatWallClock), [names, unit])
  const titles = useMemo(() => (unit === 'day' ? names.map(formatWeekday) : x), [names, unit, x])
  const series = useMemo(() => {
    const lines: LineSeries[] = [
      {
        label: labels[metric],
        // Hours that are to come are not hours without visitors.
        values: rows.map(({ value, count }) => (unit === 'hour' && Date.parse(value) > Date.now() ? null : count)),
        colourVar: '--chart-1',
        fill: true,
      },
    ]
    if (view.isCompared) {
      // Of two days one may have an hour more.
      const values = rows.map((_, index) => earlier?.[index] ?? null)
      lines.push({ label: 'The period before', values, colourVar: '--line-strong', isDashed: true })
    }
    return lines
  }, [rows, unit, metric, view.isCompared, earlier])
  // What goes on becomes longer while it is looked at: the page is shown anew every minute.
  const minute = Math.floor(Date.now() / MINUTE_MS)
  const shaded = useMemo(
    () => shadeOutages({ unit, names, timeZone: website.time_zone }, outages, Date.now()),
    [unit, names, website.time_zone, outages, minute],
  )
  return (
    <LineChart
      label={summaryOf(statistics, metric, x)}
      x={x}
      xTitles={titles}
      series={series}
      shaded={shaded}
      formatValue={formatNumber}
      formatAxis={formatCompact}
      height={HEIGHT}
    />
  )
}

function summaryOf(statistics: Statistics, metric: Metric, x: readonly string[]): string {
  const { series, totals } = statistics
  const counts = series[metric].map(({ count }) => count)
  const most = Math.max(0, ...counts)
  const peak =
    most > 0
      ? `, most ${series.unit === 'day' ? 'on' : 'at'} ${x[counts.indexOf(most)]} with ${formatNumber(most)}`
      : ''
  return `${labels[metric]} by the ${series.unit}, ${nameDays(statistics)}: ${formatNumber(totals[metric])} in all${peak}`
}
