/** The totals above the chart. A click on a total shows its metric in the chart. */
import type { ComponentChildren } from 'preact'
import { formatPercentage } from '../../lib/format.ts'
import { Change } from './change.tsx'
import { isTooEarlyToJudge } from './comparison.ts'
import type { TrafficFilter } from './filters.ts'
import { figures, listFigures, type MetricName } from './metrics.ts'
import type { Statistics } from './queries.ts'

interface FigureTilesProps {
  statistics: Statistics
  filters: readonly TrafficFilter[]
  /**
   * The number of all visitors, including those who did not trigger the filtered event. Undefined if no filter selects
   * an event.
   */
  allVisitors: number | undefined
  metric: MetricName
  onMetric: (metric: MetricName) => void
}

export function FigureTiles({ statistics, filters, allVisitors, metric, onMetric }: FigureTilesProps) {
  const { totals } = statistics
  return (
    <ul class="website-figures">
      {listFigures(filters, totals).map((name) => {
        const content = <FigureContent name={name} statistics={statistics} />
        return (
          <li key={name}>
            <button type="button" class="website-figure" aria-pressed={name === metric} onClick={() => onMetric(name)}>
              {content}
            </button>
          </li>
        )
      })}
      {allVisitors !== undefined && (
        <li>
          <div class="website-figure">
            <FigureText label="Conversion rate" value={formatConversionRate(totals.visitors, allVisitors)}>
              <span class="muted">of {figures.visitors.format(allVisitors)} visitors</span>
            </FigureText>
          </div>
        </li>
      )}
    </ul>
  )
}

const formatConversionRate = (visitors: number, allVisitors: number) =>
  allVisitors === 0 ? '–' : formatPercentage((100 * visitors) / allVisitors)

function FigureContent({ name, statistics }: { name: MetricName; statistics: Statistics }) {
  const { totals, previous, change } = statistics
  const { label, format } = figures[name]
  const formatOrDash = (value: number | null | undefined) => (value == null ? '–' : format(value))
  const previousValue = previous?.totals[name]
  return (
    <FigureText label={label} value={formatOrDash(totals[name])}>
      <Change
        name={name}
        percent={change?.[name] ?? null}
        previous={previousValue}
        isTooEarly={isTooEarlyToJudge(statistics)}
      />
      {previousValue ? <span class="muted numbers">from {format(previousValue)}</span> : null}
    </FigureText>
  )
}

function FigureText({ label, value, children }: { label: string; value: string; children: ComponentChildren }) {
  return (
    <>
      <span class="website-figure-label">{label}</span> <span class="website-figure-value numbers">{value}</span>{' '}
      <span class="website-figure-note">{children}</span>
    </>
  )
}
