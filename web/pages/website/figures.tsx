/** The totals above the chart. Visitors and page views are buttons that select what the chart shows. */
import type { StatisticsTotals } from '../../../src/traffic/stats/schema.ts'
import {
  formatCompactNumber,
  formatDurationSeconds,
  formatNumber,
  formatPercentage,
  formatPercentChange,
} from '../../lib/format.ts'
import type { Metric, Statistics } from './queries.ts'

/** Larger numbers don't fit their column, so they are shown in compact form. */
const MIN_COMPACT_NUMBER = 10_000_000
const formatTotal = (value: number) => (value < MIN_COMPACT_NUMBER ? formatNumber(value) : formatCompactNumber(value))

interface FigureInfo {
  name: keyof StatisticsTotals
  label: string
  format: (value: number) => string
  /** True for the bounce rate. */
  isLowerBetter?: boolean
  /** Counts grow during the day, so an unfinished day isn't compared with a whole one. */
  isCount?: boolean
  metric?: Metric
}

const figures: readonly FigureInfo[] = [
  { name: 'visitors', label: 'Visitors', format: formatTotal, isCount: true, metric: 'visitors' },
  { name: 'pageviews', label: 'Page views', format: formatTotal, isCount: true, metric: 'pageviews' },
  { name: 'visits', label: 'Visits', format: formatTotal, isCount: true },
  { name: 'bounce_rate', label: 'Bounce rate', format: formatPercentage, isLowerBetter: true },
  { name: 'visit_duration', label: 'Visit duration', format: formatDurationSeconds },
  { name: 'events', label: 'Events', format: formatTotal, isCount: true },
]

interface FiguresProps {
  statistics: Pick<Statistics, 'totals' | 'previous' | 'change'>
  /** Whether to show the totals of the previous period, not only the change. */
  isCompared: boolean
  /** Whether the range is only today, which isn't over yet. */
  isUnfinishedDay: boolean
  metric: Metric
  onMetric: (metric: Metric) => void
}

export function Figures({ statistics, isCompared, isUnfinishedDay, metric, onMetric }: FiguresProps) {
  return (
    <ul class="website-figures">
      {figures.map((figure) => {
        const { name, metric: figureMetric } = figure
        const content = <FigureContent figure={figure} {...{ statistics, isCompared, isUnfinishedDay }} />
        return (
          <li key={name}>
            {figureMetric === undefined ? (
              <div class="website-figure">{content}</div>
            ) : (
              <button
                type="button"
                class="website-figure"
                aria-pressed={figureMetric === metric}
                title="Show in chart"
                onClick={() => onMetric(figureMetric)}
              >
                {content}
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function FigureContent({
  figure: { name, label, format, isLowerBetter = false, isCount = false },
  statistics: { totals, previous, change },
  isCompared,
  isUnfinishedDay,
}: { figure: FigureInfo } & Pick<FiguresProps, 'statistics' | 'isCompared' | 'isUnfinishedDay'>) {
  const formatOrDash = (value: number | null | undefined) => (value == null ? '–' : format(value))
  return (
    <>
      <span class="website-figure-label">{label}</span>
      <span class="website-figure-value numbers">{formatOrDash(totals[name])}</span>
      {isUnfinishedDay && isCount ? (
        <span class="website-change">so far</span>
      ) : (
        <Change percent={change?.[name] ?? null} isLowerBetter={isLowerBetter} />
      )}
      {isCompared && <span class="small muted numbers">Previously {formatOrDash(previous?.totals[name])}</span>}
    </>
  )
}

/** The arrow shows the direction, and the colour whether the change is good. Screen readers read a text instead. */
function Change({ percent, isLowerBetter }: { percent: number | null; isLowerBetter: boolean }) {
  if (percent === null) {
    return (
      <span class="website-change">
        <span aria-hidden="true">–</span>
        <span class="hidden-text">no data for the previous period</span>
      </span>
    )
  }
  const roundedPercent = Math.round(percent)
  const kind = roundedPercent === 0 ? 'same' : roundedPercent > 0 !== isLowerBetter ? 'good' : 'bad'
  const arrow = roundedPercent === 0 ? '→' : roundedPercent > 0 ? '↑' : '↓'
  const text =
    roundedPercent === 0
      ? 'unchanged from the previous period'
      : `${formatPercentage(Math.abs(roundedPercent))} ${roundedPercent > 0 ? 'higher' : 'lower'} than in the previous period`
  return (
    <span class={`website-change website-change-${kind} numbers`}>
      <span aria-hidden="true">
        {arrow} {formatPercentChange(roundedPercent)}
      </span>
      <span class="hidden-text">{text}</span>
    </span>
  )
}
