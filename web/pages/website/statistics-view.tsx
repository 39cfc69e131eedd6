/** Figures, chart and panels of one statistics response. */
import { useState } from 'preact/hooks'
import { Loading, Skeleton } from '../../components/states.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { Figures } from './figures.tsx'
import type { TrafficFilter } from './filters.ts'
import type { MonitorOutage } from './outages.ts'
import { formatDayRange } from './panel-labels.ts'
import { Panels } from './panels.tsx'
import { type Metric, type Statistics, useOutages } from './queries.ts'
import { TrafficChart } from './traffic-chart.tsx'
import type { WebsiteView } from './view.ts'

interface StatisticsViewProps {
  data: Statistics
  view: WebsiteView
  today: string
  monitors: readonly OverviewMonitor[]
  /** Whether `data` belongs to the previous view, because the new response hasn't arrived. */
  isStale: boolean
  onFilter: (filter: TrafficFilter) => void
}

const noOutages: readonly MonitorOutage[] = []

export function StatisticsView({ data, view, today, monitors, isStale, onFilter }: StatisticsViewProps) {
  const [metric, setMetric] = useState<Metric>('visitors')
  const outages = useOutages(monitors, data)
  const { website, previous } = data
  return (
    <div class={`stack website-statistics${isStale ? ' website-stale' : ''}`} aria-busy={isStale}>
      <section class="panel">
        <h2 class="hidden-text">Summary</h2>
        <Figures
          statistics={data}
          isCompared={view.isCompared}
          isUnfinishedDay={data.from === data.to && data.to >= today}
          metric={metric}
          onMetric={setMetric}
        />
        <p class="website-range small muted" role="status" title={`Time zone: ${website.time_zone}`}>
          {formatDayRange(data)}
          {previous && `, compared with ${formatDayRange(previous)}`}
          {data.to >= today && ". Today's data is incomplete."}
        </p>
        <TrafficChart statistics={data} metric={metric} view={view} outages={outages.data ?? noOutages} />
      </section>
      <Panels statistics={data} view={view} onFilter={onFilter} />
    </div>
  )
}

/** About as tall as the statistics, so that the page doesn't jump. */
export function StatisticsSkeleton() {
  return (
    <Loading what="statistics">
      <Skeleton height="32rem" />
      <div class="website-panels">
        {['Pages', 'Sources', 'Countries', 'Devices'].map((title) => (
          <Skeleton key={title} height="24rem" />
        ))}
      </div>
    </Loading>
  )
}
