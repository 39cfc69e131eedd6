/** Figures, chart and panels of one answer. */
import { useState } from 'preact/hooks'
import { Loading, Skeleton } from '../../components/states.tsx'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { Figures } from './figures.tsx'
import type { Filter } from './filters.ts'
import type { Outage } from './outages.ts'
import { nameDays } from './panel-labels.ts'
import { Panels } from './panels.tsx'
import { type Metric, type Statistics as StatisticsAnswer, useOutages } from './queries.ts'
import { Trend } from './traffic-chart.tsx'
import type { View } from './view.ts'

interface StatisticsProps {
  data: StatisticsAnswer
  view: View
  today: string
  monitors: readonly OverviewMonitor[]
  /** Of what was looked at before, until the new answer is there. */
  isStale: boolean
  onFilter: (filter: Filter) => void
}

const none: readonly Outage[] = []

export function Statistics({ data, view, today, monitors, isStale, onFilter }: StatisticsProps) {
  const [metric, setMetric] = useState<Metric>('visitors')
  const outages = useOutages(monitors, data)
  const { website, previous } = data
  return (
    <div class={`stack website-statistics${isStale ? ' website-stale' : ''}`} aria-busy={isStale}>
      <section class="panel">
        <h2 class="hidden-text">In short</h2>
        <Figures
          statistics={data}
          isCompared={view.isCompared}
          isSoFar={data.from === data.to && data.to >= today}
          metric={metric}
          onMetric={setMetric}
        />
        <p class="website-when small muted" role="status" title={`By the clock of ${website.time_zone}`}>
          {nameDays(data)}
          {previous && `, compared with ${nameDays(previous)}`}
          {data.to >= today && '. Today is not over yet.'}
        </p>
        <Trend statistics={data} metric={metric} view={view} outages={outages.data ?? none} />
      </section>
      <Panels statistics={data} view={view} onFilter={onFilter} />
    </div>
  )
}

/** As tall as what will stand there. */
export function Placeholder() {
  return (
    <Loading what="the statistics">
      <Skeleton height="32rem" />
      <div class="website-panels">
        {['Pages', 'Sources', 'Countries', 'Devices'].map((title) => (
          <Skeleton key={title} height="24rem" />
        ))}
      </div>
    </Loading>
  )
}
