/** A small line chart for a row of a list. */
import { useMemo } from 'preact/hooks'
import { buildSparklinePaths, SPARKLINE_HEIGHT, SPARKLINE_WIDTH } from '../../src/shared/sparkline-paths.ts'

interface SparklineProps {
  /** Null is a gap. */
  values: readonly (number | null)[]
  /** Describes the whole line. */
  label: string
  kind?: 'visitors' | 'response'
  /** The id of the website or monitor that the tooltip describes. Without an id, the line has no tooltip. */
  id?: number
}

export function Sparkline({ values, label, kind = 'visitors', id }: SparklineProps) {
  // The last value of a visitors chart counts only today's visitors so far.
  const isLastPartial = kind === 'visitors'
  const { line, area, partialLine } = useMemo(() => buildSparklinePaths(values, isLastPartial), [values, isLastPartial])
  return (
    <svg
      class={`sparkline sparkline-${kind}`}
      viewBox={`0 0 ${SPARKLINE_WIDTH} ${SPARKLINE_HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      data-chart={kind}
      data-id={id}
      data-points={id === undefined ? undefined : values.length}
    >
      <path class="sparkline-area" d={area} />
      <path class="sparkline-line" d={line} />
      {partialLine !== '' && <path class="sparkline-line sparkline-partial" d={partialLine} />}
    </svg>
  )
}

/** Takes the place of a line while there are too few values. A text is shown in it; a label is only for screen readers. */
export function EmptySparkline({ text, label }: { text?: string; label?: string }) {
  return (
    <span class="sparkline sparkline-empty" title={label}>
      {text ?? <span class="hidden-text">{label}</span>}
    </span>
  )
}
