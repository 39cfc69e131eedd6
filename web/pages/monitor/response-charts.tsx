/** Response times: every check of the last hour, or percentiles of each hour or day. */
import { ZoomOut } from 'lucide-preact'
import { useMemo, useState } from 'preact/hooks'
import { type ChartBand, LineChart, type LineSeries } from '../../charts/line-chart.tsx'
import { Button } from '../../components/button.tsx'
import { formatDateTimeWithSeconds, formatMs, pluralize } from '../../lib/format.ts'
import { formatMissedVisits } from '../../lib/impact.ts'
import type { DurationWords } from './duration-words.ts'
import { windowLabels } from './labels.ts'
import type { Incident, RecentCheck, useChecks } from './queries.ts'
import { toIncidentBands, toResponseLines, trimToFirstCheck } from './series.ts'
import { mergeChecks, toCheckChart } from './single-checks.ts'

export const CHART_HEIGHT_PX = 260

type CheckSeries = NonNullable<ReturnType<typeof useChecks>['data']>

interface CheckChartProps {
  series: CheckSeries
  words: DurationWords
  recentChecks: readonly RecentCheck[]
  incidents: readonly Incident[]
}

export function CheckChart({ series, words, recentChecks, incidents }: CheckChartProps) {
  const { meta } = series
  const { title, item, itemsTitle, isLong } = words
  const chart = useMemo(() => {
    const checks = mergeChecks(meta.recent, recentChecks)
    const { values, ...rest } = toCheckChart(checks, meta.to)
    return {
      ...rest,
      xTitles: checks.map(({ checked_at }) => formatDateTimeWithSeconds(checked_at)),
      series: [{ label: title, values, colourVar: '--chart-1', isFilled: true, hasDots: true }],
      bands: toIncidentBands(incidents, meta).map((band, index) => toShortBand(band, incidents[index])),
    }
  }, [meta, title, recentChecks, incidents])
  if (chart.x.length === 0) return <NoData text={`No ${item}s in the last hour`} />
  const failedText = chart.failures.size === 0 ? 'all passed' : `${chart.failures.size} failed`
  return (
    <ZoomableChart
      label={`${itemsTitle} of the last hour: ${pluralize(chart.x.length, item)}, ${failedText}`}
      isLong={isLong}
      {...chart}
    />
  )
}

/** Leaves out the detail of the failure, because the tooltip of a failed check already shows it. */
const toShortBand = ({ title, ...band }: ChartBand, incident: Incident | undefined): ChartBand => ({
  ...band,
  title: `Incident: ${title}`,
  detail: formatMissedVisits(incident?.impact ?? null),
})

export function PercentileChart({ series, words, incidents }: Omit<CheckChartProps, 'recentChecks'>) {
  const { window, total, p50_ms, p95_ms, p99_ms } = series.meta
  const chart = useMemo(() => toPercentileChart(series, incidents), [series, incidents])
  if (p50_ms === null) {
    return <NoData text={`${total === 0 ? `No ${words.item}s` : words.noValues} in the last ${windowLabels[window]}`} />
  }
  const label = `${words.plural} in the last ${windowLabels[window]}: median ${formatMs(p50_ms)}, 95th percentile ${formatMs(p95_ms)}, 99th percentile ${formatMs(p99_ms)}`
  return <ZoomableChart label={label} isLong={words.isLong} {...chart} />
}

function toPercentileChart({ data, meta }: CheckSeries, incidents: readonly Incident[]) {
  const points = trimToFirstCheck(data)
  const { p50, p95, p99, ...axis } = toResponseLines(points, meta.bucket_seconds)
  return {
    ...axis,
    series: [
      { label: 'Median (p50)', values: p50, colourVar: '--chart-1', isFilled: true },
      { label: '95th percentile (p95)', values: p95, colourVar: '--chart-2' },
      { label: '99th percentile (p99)', values: p99, colourVar: '--chart-3' },
    ],
    // The last hour or day isn't over yet.
    incompleteIndex: points.length - 1,
    bands: toIncidentBands(incidents, meta),
  }
}

const NoData = ({ text }: { text: string }) => (
  <div class="empty monitor-no-chart" style={{ minHeight: `${CHART_HEIGHT_PX}px` }}>
    <p>{text}</p>
  </div>
)

interface ZoomableChartProps {
  label: string
  isLong: boolean
  x: readonly number[]
  xRange: readonly [number, number]
  xTitles: readonly string[]
  series: readonly LineSeries[]
  incompleteIndex?: number
  failures?: ReadonlyMap<number, string>
  bands: readonly ChartBand[]
}

/** Zooms without a request, because the page already has all values. */
function ZoomableChart(props: ZoomableChartProps) {
  const [zoomRange, setZoomRange] = useState<readonly [number, number]>()
  const chart = useMemo(() => (zoomRange ? cutToRange(props, zoomRange) : props), [props, zoomRange])
  return (
    <div class="monitor-chart">
      {zoomRange && (
        <Button small icon={ZoomOut} onClick={() => setZoomRange(undefined)}>
          Reset zoom
        </Button>
      )}
      <LineChart
        {...(chart.isLong ? toSeconds(chart) : chart)}
        formatValue={chart.isLong ? formatSeconds : formatMs}
        axisKind={chart.isLong ? 'duration' : 'ms'}
        height={CHART_HEIGHT_PX}
        onZoom={(from, to) => setZoomRange([chart.x[from] ?? 0, chart.x[to] ?? 0])}
      />
    </div>
  )
}

/** Converts milliseconds to seconds, because the axis of durations has round numbers of seconds, minutes and hours. */
const toSeconds = ({ series, ...chart }: ZoomableChartProps): ZoomableChartProps => ({
  ...chart,
  series: series.map((line) => ({ ...line, values: line.values.map((ms) => ms && ms / 1_000) })),
})
const formatSeconds = (seconds: number | null) => formatMs(seconds && Math.round(seconds * 1_000))

/**
 * Returns the part of the chart between two times. The range consists of times, because indexes would select other
 * values after a refetch.
 */
function cutToRange(props: ZoomableChartProps, [from, to]: readonly [number, number]): ZoomableChartProps {
  const firstIndex = props.x.findIndex((time) => time >= from)
  const lastIndex = props.x.findLastIndex((time) => time <= to)
  const cutList = <T,>(list: readonly T[]) => list.slice(firstIndex, lastIndex + 1)
  const { incompleteIndex, failures, ...rest } = props
  return {
    ...rest,
    x: cutList(props.x),
    xRange: [from, to],
    xTitles: cutList(props.xTitles),
    series: props.series.map((line) => ({ ...line, values: cutList(line.values) })),
    ...(incompleteIndex !== undefined && { incompleteIndex: incompleteIndex - firstIndex }),
    ...(failures && { failures: new Map([...failures].map(([index, reason]) => [index - firstIndex, reason])) }),
  }
}
