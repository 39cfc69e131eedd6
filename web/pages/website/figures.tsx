/** The numbers on top; two of them choose what the chart shows. */
import type { Totals } from '../../../src/traffic/stats/schema.ts'
import { formatChange, formatDuration, formatNumber, formatPercent, formatCompact } from '../../lib/format.ts'
import type { Metric, Statistics } from './queries.ts'

/** Above this a number is longer than its place. */
const LONG = 10_000_000
const formatCount = (value: number) => (value < LONG ? formatNumber(value) : formatCompact(value))

interface Figure {
  name: keyof Totals
  label: string
  format: (value: number) => string
  /** Less of it is better. */
  isInverse?: boolean
  /** It grows with every visit, so a part of a day cannot be compared with a whole one. */
  isCount?: boolean
  metric?: Metric
}

const figures: readonly Figure[] = [
  { name: 'visitors', label: 'Visitors', format: formatCount, isCount: true, metric: 'visitors' },
  { name: 'pageviews', label: 'Page views', format: formatCount, isCount: true, metric: 'pageviews' },
  { name: 'visits', label: 'Visits', format: formatCount, isCount: true },
  { name: 'bounce_rate', label: 'Bounce rate', format: formatPercent, isInverse: true },
  { name: 'visit_duration', label: 'Visit duration', format: formatDuration },
  { name: 'events', label: 'Events', format: formatCount, isCount: true },
]

interface FiguresProps {
  statistics: Pick<Statistics, 'totals' | 'previous' | 'change'>
  /** Whether the numbers before are shown too, not the change alone. */
  isCompared: boolean
  /** Of a single day that is not over. */
  isSoFar: boolean
  metric: Metric
  onMetric: (metric: Metric) => void
}

export function Figures({ statistics, isCompared, isSoFar, metric, onMetric }: FiguresProps) {
  return (
    <ul class="website-figures">
      {figures.map((figure) => {
        const { name, metric: own } = figure
        const content = <Content figure={figure} {...{ statistics, isCompared, isSoFar }} />
        return (
          <li key={name}>
            {own === undefined ? (
              <div class="website-figure">{content}</div>
            ) : (
              <button
                type="button"
                class="website-figure"
                aria-pressed={own === metric}
                title="Show in the chart"
                onClick={() => onMetric(own)}
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

function Content({
  figure: { name, label, format, isInverse = false, isCount = false },
  statistics: { totals, previous, change },
  isCompared,
  isSoFar,
}: { figure: Figure } & Pick<FiguresProps, 'statistics' | 'isCompared' | 'isSoFar'>) {
  const show = (value: number | null | undefined) => (value == null ? '–' : format(value))
  return (
    <>
      <span class="website-figure-label">{label}</span>
      <span class="website-figure-value numbers">{show(totals[name])}</span>
      {isSoFar && isCount ? (
        <span class="website-change">so far</span>
      ) : (
        <Change percent={change?.[name] ?? null} isInverse={isInverse} />
      )}
      {isCompared && <span class="small muted numbers">{show(previous?.totals[name])} before</span>}
    </>
  )
}

/** An arrow for its direction, a colour for whether that is good, and words for whoever sees neither. */
function Change({ percent, isInverse }: { percent: number | null; isInverse: boolean }) {
  if (percent === null) {
    return (
      <span class="website-change">
        <span aria-hidden="true">–</span>
        <span class="hidden-text">nothing to compare it with</span>
      </span>
    )
  }
  const rounded = Math.round(percent)
  const kind = rounded === 0 ? 'same' : rounded > 0 !== isInverse ? 'good' : 'bad'
  const arrow = rounded === 0 ? '→' : rounded > 0 ? '↑' : '↓'
  const words =
    rounded === 0 ? 'as before' : `${formatPercent(Math.abs(rounded))} ${rounded > 0 ? 'more' : 'less'} than before`
  return (
    <span class={`website-change website-change-${kind} numbers`}>
      <span aria-hidden="true">
        {arrow} {formatChange(rounded)}
      </span>
      <span class="hidden-text">{words}</span>
    </span>
  )
}
