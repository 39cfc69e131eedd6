/** Figures, chart and panels of one statistics response. */

import { ZoomOut } from 'lucide-preact'
import { Button } from '../../components/button.tsx'
import { SegmentedControl } from '../../components/segmented-control.tsx'
import { formatDays } from '../../lib/format.ts'
import type { OverviewMonitor } from '../../lib/queries.ts'
import { describePrevious } from './comparison.ts'
import { FigureTiles } from './figure-tiles.tsx'
import type { TrafficFilter } from './filters.ts'
import { isEventFiltered, listFigures, type MetricName } from './metrics.ts'
import { OutageSummary } from './outage-summary.tsx'
import type { MonitorOutage } from './outages.ts'
import { Panels } from './panels.tsx'
import { type Statistics, useOutages, useVisitorTotal } from './queries.ts'
import { type ChartInterval, intervalLabels, listIntervals, selectInterval } from './slots.ts'
import { TrafficChart } from './traffic-chart.tsx'
import { type ChangeView, canZoomOut, type WebsiteView, zoomIn, zoomOut } from './view.ts'
import './summary.css'

interface StatisticsViewProps {
  data: Statistics
  view: WebsiteView
  monitors: readonly OverviewMonitor[]
  /** Whether `data` belongs to the previous view, because the new response hasn't arrived. */
  isStale: boolean
  changeView: ChangeView
  onFilter: (filter: TrafficFilter) => void
}

const noOutages: readonly MonitorOutage[] = []

export function StatisticsView({ data, view, monitors, isStale, changeView, onFilter }: StatisticsViewProps) {
  const outages = useOutages(monitors, data)
  const hasEventFilter = isEventFiltered(view.filters)
  const otherFilters = view.filters.filter(({ name }) => name !== 'event')
  const visitorTotal = useVisitorTotal(data.website.id, { ...view, filters: otherFilters }, hasEventFilter)
  const metric = selectMetric(view, data)
  return (
    <div class={`stack website-statistics${isStale ? ' website-stale' : ''}`} aria-busy={isStale}>
      <section class="panel website-summary">
        <h2 class="hidden-text">Summary</h2>
        <FigureTiles
          statistics={data}
          filters={view.filters}
          allVisitors={hasEventFilter ? visitorTotal.data : undefined}
          metric={metric}
          onMetric={(name) => changeView({ metric: name })}
        />
        <div class="website-chart">
          <ChartHead data={data} monitors={monitors} changeView={changeView} />
          <TrafficChart
            statistics={data}
            metric={metric}
            comparison={view.comparison}
            outages={outages.data ?? noOutages}
            onZoom={(range) => zoomIn(view, range, changeView)}
          />
        </div>
      </section>
      <Panels statistics={data} view={view} onFilter={onFilter} />
    </div>
  )
}

/** Returns visitors if the chosen metric has no meaning with the current filters. */
const selectMetric = ({ metric, filters }: WebsiteView, { totals }: Statistics): MetricName =>
  listFigures(filters, totals).includes(metric) ? metric : 'visitors'

function ChartHead({ data, monitors, changeView }: Pick<StatisticsViewProps, 'data' | 'monitors' | 'changeView'>) {
  const intervals = listIntervals(data)
  const defaultInterval = selectInterval(data, undefined)
  return (
    <div class="website-chart-head">
      <p class="website-range small muted" role="status">
        <span class="website-range-days">{formatDays(data)}</span>
        {data.previous !== null && ` compared with ${describePrevious(data)}`}
      </p>
      <OutageSummary website={data.website} range={data} monitors={monitors} />
      <div class="website-chart-tools">
        {canZoomOut() && (
          <Button small kind="quiet" icon={ZoomOut} onClick={() => zoomOut(changeView)}>
            Zoom out
          </Button>
        )}
        {intervals.length > 1 && (
          <SegmentedControl<ChartInterval>
            label="Interval"
            choices={intervals.map((value) => ({ value, label: intervalLabels[value] }))}
            value={data.series.unit}
            onValue={(interval) => changeView({ interval: interval === defaultInterval ? undefined : interval })}
          />
        )}
      </div>
    </div>
  )
}
