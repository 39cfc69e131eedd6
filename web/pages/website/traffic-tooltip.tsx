/** The tooltip of one point of the chart: its value, the value in the earlier period, and the change between them. */
import { Swatch } from '../../charts/line-chart/legend.tsx'
import { Change } from './change.tsx'
import { computeChange } from './comparison.ts'
import { figures, type MetricName } from './metrics.ts'
import type { Statistics } from './queries.ts'
import { formatSlotTitle } from './slots.ts'

interface TrafficTooltipProps {
  statistics: Statistics
  metric: MetricName
  index: number
  title: string
}

export function TrafficTooltip({ statistics: { series, previous }, metric, index, title }: TrafficTooltipProps) {
  const { label, format } = figures[metric]
  const row = series[metric][index]
  const previousRow = previous?.series[metric][index]
  const isIncomplete = row?.value === series.incomplete
  const isFuture = series.incomplete !== null && row !== undefined && isAfter(row.value, series.incomplete)
  const formatOrDash = (value: number | null | undefined) => (value == null ? '–' : format(value))
  return (
    <div class="website-tooltip">
      <div class="website-tooltip-head">
        <strong>{label}</strong>
        {/* A part of a day can't be compared with a whole day. */}
        {isIncomplete ? (
          <span class="muted">so far</span>
        ) : (
          !isFuture && (
            <Change
              name={metric}
              percent={computeChange(row?.count, previousRow?.count)}
              previous={previousRow?.count}
            />
          )
        )}
      </div>
      <ValueRow
        colourVar="--chart-1"
        lineStyle="solid"
        title={title}
        value={isFuture ? '–' : formatOrDash(row?.count)}
      />
      {previous && previousRow && (
        <ValueRow
          colourVar="--line-strong"
          lineStyle="dashed"
          title={formatSlotTitle(series.unit, previousRow.value, previous)}
          value={formatOrDash(previousRow.count)}
        />
      )}
    </div>
  )
}

/**
 * Compares moments, not texts, because the same hour occurs twice, with different offsets, when daylight saving time
 * ends.
 */
const isAfter = (slot: string, other: string) => Date.parse(slot) > Date.parse(other)

interface ValueRowProps {
  colourVar: string
  lineStyle: 'solid' | 'dashed'
  title: string
  value: string
}

function ValueRow({ colourVar, lineStyle, title, value }: ValueRowProps) {
  return (
    <div class="website-tooltip-row">
      <Swatch colourVar={colourVar} lineStyle={lineStyle} />
      <span class="muted">{title}</span>
      <b class="numbers">{value}</b>
    </div>
  )
}
