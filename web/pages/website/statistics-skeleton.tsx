/** Grey boxes with the size of the statistics, so that the page doesn't jump when they arrive. */
import { Loading, Skeleton } from '../../components/states.tsx'
import { CHART_HEIGHT_PX } from './traffic-chart.tsx'
import './panels.css'
import './summary.css'

const FIGURE_COUNT = 6
const PANELS = ['Pages', 'Sources', 'Locations', 'Devices']

export function StatisticsSkeleton() {
  return (
    <Loading what="statistics">
      <div class="panel website-summary" aria-hidden="true">
        <ul class="website-figures">
          {Array.from({ length: FIGURE_COUNT }, (_, index) => (
            <li key={index}>
              <div class="website-figure website-figure-skeleton">
                <Skeleton height="0.75rem" width="4.5rem" />
                <Skeleton height="1.5rem" width="5.5rem" />
                <Skeleton height="0.75rem" width="3.5rem" />
              </div>
            </li>
          ))}
        </ul>
        <div class="website-chart">
          <div class="website-chart-head">
            <Skeleton height="1rem" width="16rem" />
          </div>
          <Skeleton height={`${CHART_HEIGHT_PX}px`} />
        </div>
      </div>
      <div class="website-panels">
        {PANELS.map((title) => (
          <div key={title} class="panel website-panel-skeleton">
            <Skeleton height="1rem" width="6rem" />
            <Skeleton height="100%" />
          </div>
        ))}
      </div>
    </Loading>
  )
}
