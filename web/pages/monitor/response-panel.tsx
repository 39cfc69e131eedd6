import type { MonitorRecord } from '../../../src/monitors/schema.ts'
import { Panel } from '../../components/page.tsx'
import { Loading, QueryContent, Skeleton } from '../../components/states.tsx'
import { getDurationWords } from './duration-words.ts'
import { PeriodControl } from './period-control.tsx'
import { type ChartWindow, chartWindows, type Incident, type RecentCheck, useChecks } from './queries.ts'
import { RecentChecks } from './recent-checks.tsx'
import { CHART_HEIGHT_PX, CheckChart, PercentileChart } from './response-charts.tsx'
import './response-panel.css'

interface ResponsePanelProps {
  monitor: Pick<MonitorRecord, 'id' | 'type' | 'is_sample'>
  window: ChartWindow
  onWindow: (window: ChartWindow) => void
  incidents: readonly Incident[]
  /** The newest checks, newest first. Updated after every check. */
  recentChecks: readonly RecentCheck[]
}

export function ResponsePanel({ monitor, window, onWindow, incidents, recentChecks }: ResponsePanelProps) {
  const words = getDurationWords(monitor.type)
  // Single checks are kept for a day. A chart of older checks beside “No checks” would be a contradiction.
  const isOldSample = monitor.is_sample && recentChecks.length === 0
  return (
    <Panel title={words.title} actions={<PeriodControl windows={chartWindows} value={window} onValue={onWindow} />}>
      <QueryContent
        query={useChecks(monitor.id, window)}
        loading={
          <Loading what={words.plural.toLowerCase()}>
            <Skeleton height={`${CHART_HEIGHT_PX + 60}px`} />
            <Skeleton height="3.5rem" />
          </Loading>
        }
      >
        {(series) =>
          series.meta.window === '1h' ? (
            <CheckChart series={series} words={words} recentChecks={recentChecks} incidents={incidents} />
          ) : (
            <div class="stack">
              <PercentileChart key={series.meta.window} series={series} words={words} incidents={incidents} />
              {/* The page of a heartbeat lists its beats instead. */}
              {monitor.type !== 'heartbeat' && !isOldSample && <RecentChecks checks={recentChecks} />}
            </div>
          )
        }
      </QueryContent>
    </Panel>
  )
}
