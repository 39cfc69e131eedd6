import { useMemo } from 'preact/hooks'
import { LineChart } from '../../charts/line-chart.tsx'
import { Panel } from '../../components/page.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { QueryContent, Loading, Skeleton } from '../../components/states.tsx'
import { formatDay, formatMs } from '../../lib/format.ts'
import { Heartbeat } from './recent-checks.tsx'
import { type Incident, useChecks, type WindowName, windows } from './queries.ts'
import { responseLines, shadedOf, sinceFirstCheck } from './series.ts'
import { windowWords } from './labels.ts'

interface ResponsePanelProps {
  id: number
  window: WindowName
  onWindow: (window: WindowName) => void
  incidents: readonly Incident[]
}

/** In pixels. */
const HEIGHT = 260

export function ResponsePanel({ id, window, onWindow, incidents }: ResponsePanelProps) {
  return (
    <Panel
      title="Response time"
      actions={
        <div class="monitor-windows">
          <SegmentedControl
            label="Window"
            choices={windows.map((value) => ({ value, label: windowWords[value] }))}
            value={window}
            onValue={onWindow}
          />
        </div>
      }
    >
      <QueryContent
        query={useChecks(id, window)}
        loading={
          <Loading what="response times">
            <Skeleton height={`${HEIGHT + 60}px`} />
            <Skeleton height="3.5rem" />
          </Loading>
        }
      >
        {(series) => (
          <div class="stack">
            <Chart series={series} incidents={incidents} />
            <Heartbeat recent={series.meta.recent} />
          </div>
        )}
      </QueryContent>
    </Panel>
  )
}

type Series = NonNullable<ReturnType<typeof useChecks>['data']>

function Chart({ series, incidents }: { series: Series; incidents: readonly Incident[] }) {
  const { window, total, p50_ms, p95_ms, p99_ms } = series.meta
  const drawn = useMemo(() => drawnOf(series, incidents), [series, incidents])
  if (p50_ms === null) {
    return (
      <div class="empty monitor-no-chart" style={{ minHeight: `${HEIGHT}px` }}>
        <p>
          {total === 0 ? 'Nothing was checked' : 'Nothing answered'} in the last {windowWords[window]}.
        </p>
      </div>
    )
  }
  const label = `Response times of ${windowWords[window]}: half within ${formatMs(p50_ms)}, 95 % within ${formatMs(p95_ms)}, 99 % within ${formatMs(p99_ms)}`
  return <LineChart label={label} {...drawn} formatValue={formatMs} height={HEIGHT} />
}

function drawnOf({ data, meta }: Series, incidents: readonly Incident[]) {
  const points = sinceFirstCheck(data)
  const isDaily = meta.bucket_seconds >= 86_400
  const { x, p50, p95, p99 } = responseLines(points, isDaily)
  return {
    x,
    ...(isDaily && { xTitles: points.map(({ starts_at }) => `${formatDay(starts_at.slice(0, 10))}, UTC`) }),
    series: [
      { label: 'Half within (p50)', values: p50, colourVar: '--chart-1', fill: true },
      { label: '95 % within (p95)', values: p95, colourVar: '--chart-2' },
      { label: '99 % within (p99)', values: p99, colourVar: '--chart-3' },
    ],
    shaded: shadedOf(incidents, meta.to, isDaily),
  }
}
