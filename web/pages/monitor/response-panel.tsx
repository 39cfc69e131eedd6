import { useMemo } from 'preact/hooks'
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import { LineChart } from '../../charts/line-chart.tsx'
import { Panel } from '../../components/page.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { formatDay, formatMs } from '../../lib/format.ts'
import { windowLabels } from './labels.ts'
import { type Incident, type MonitorWindow, monitorWindows, useChecks } from './queries.ts'
import { RecentChecks } from './recent-checks.tsx'
import { toIncidentBands, toResponseLines, trimToFirstCheck } from './series.ts'

interface ResponsePanelProps {
  monitorId: number
  window: MonitorWindow
  onWindow: (window: MonitorWindow) => void
  incidents: readonly Incident[]
}

const CHART_HEIGHT_PX = 260

export function ResponsePanel({ monitorId, window, onWindow, incidents }: ResponsePanelProps) {
  return (
    <Panel
      title="Response time"
      actions={
        <div class="monitor-windows">
          <SegmentedControl
            label="Time range"
            choices={monitorWindows.map((value) => ({ value, label: windowLabels[value] }))}
            value={window}
            onValue={onWindow}
          />
        </div>
      }
    >
      <QueryContent
        query={useChecks(monitorId, window)}
        loading={
          <Loading what="response times">
            <Skeleton height={`${CHART_HEIGHT_PX + 60}px`} />
            <Skeleton height="3.5rem" />
          </Loading>
        }
      >
        {(series) => (
          <div class="stack">
            <ResponseChart series={series} incidents={incidents} />
            <RecentChecks checks={series.meta.recent} />
          </div>
        )}
      </QueryContent>
    </Panel>
  )
}

type CheckSeries = NonNullable<ReturnType<typeof useChecks>['data']>

function ResponseChart({ series, incidents }: { series: CheckSeries; incidents: readonly Incident[] }) {
  const { window, total, p50_ms, p95_ms, p99_ms } = series.meta
  const chart = useMemo(() => toChartProps(series, incidents), [series, incidents])
  if (p50_ms === null) {
    return (
      <div class="empty monitor-no-chart" style={{ minHeight: `${CHART_HEIGHT_PX}px` }}>
        <p>
          {total === 0 ? 'No checks' : 'No responses'} in the last {windowLabels[window]}
        </p>
      </div>
    )
  }
  const label = `Response times in the last ${windowLabels[window]}: median ${formatMs(p50_ms)}, 95th percentile ${formatMs(p95_ms)}, 99th percentile ${formatMs(p99_ms)}`
  return <LineChart label={label} {...chart} formatValue={formatMs} axisKind="ms" height={CHART_HEIGHT_PX} />
}

function toChartProps({ data, meta }: CheckSeries, incidents: readonly Incident[]) {
  const points = trimToFirstCheck(data)
  const isDaily = meta.bucket_seconds >= DAY_SECONDS
  const { x, p50, p95, p99 } = toResponseLines(points, isDaily)
  return {
    x,
    ...(isDaily && { xTitles: points.map(({ starts_at }) => `${formatDay(starts_at.slice(0, 10))}, UTC`) }),
    series: [
      { label: 'Median (p50)', values: p50, colourVar: '--chart-1', isFilled: true },
      { label: '95th percentile (p95)', values: p95, colourVar: '--chart-2' },
      { label: '99th percentile (p99)', values: p99, colourVar: '--chart-3' },
    ],
    bands: toIncidentBands(incidents, meta.to, isDaily),
  }
}
