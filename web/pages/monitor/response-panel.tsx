import { Panel } from '../../components/page.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { PHONE_QUERY, useMediaQuery } from '../../lib/use-media-query.ts'
import { windowLabels } from './labels.ts'
import { type ChartWindow, chartWindows, type Incident, type RecentCheck, useChecks } from './queries.ts'
import { RecentChecks } from './recent-checks.tsx'
import { CHART_HEIGHT_PX, CheckChart, PercentileChart } from './response-charts.tsx'

interface ResponsePanelProps {
  monitorId: number
  window: ChartWindow
  onWindow: (window: ChartWindow) => void
  incidents: readonly Incident[]
  /** The newest checks, newest first. Updated after every check. */
  recentChecks: readonly RecentCheck[]
}

const shortWindowLabels: Record<ChartWindow, string> = {
  '1h': '1h',
  '24h': '24h',
  '30d': '30d',
  '6mo': '6mo',
  '1y': '1y',
}

export function ResponsePanel({ monitorId, window, onWindow, incidents, recentChecks }: ResponsePanelProps) {
  const isPhone = useMediaQuery(PHONE_QUERY)
  return (
    <Panel
      title="Response time"
      actions={
        <SegmentedControl
          label="Period"
          choices={chartWindows.map((value) => ({
            value,
            label: isPhone ? shortWindowLabels[value] : value === '1h' ? 'Last hour' : windowLabels[value],
          }))}
          value={window}
          onValue={onWindow}
        />
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
        {(series) =>
          series.meta.window === '1h' ? (
            <CheckChart series={series} recentChecks={recentChecks} incidents={incidents} />
          ) : (
            <div class="stack">
              <PercentileChart key={series.meta.window} series={series} incidents={incidents} />
              <RecentChecks checks={recentChecks} />
            </div>
          )
        }
      </QueryContent>
    </Panel>
  )
}
