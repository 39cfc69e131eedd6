/** A small line chart for a row of a list. */
import { useMemo } from 'preact/hooks'
import { formatNumber, pluralize } from '../lib/format.ts'

const WIDTH = 120
const HEIGHT = 28

export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const line = useMemo(() => buildLinePath(values), [values])
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${formatNumber(values.reduce((sum, value) => sum + value, 0))} in ${pluralize(values.length, 'day')}`}
    >
      <path class="sparkline-area" d={`${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`} />
      <path class="sparkline-line" d={line} />
    </svg>
  )
}

function buildLinePath(values: readonly number[]): string {
  const max = Math.max(1, ...values)
  const step = WIDTH / Math.max(1, values.length - 1)
  const points = values.map(
    (value, index) => `${round(index * step)} ${round(HEIGHT - 2 - (value / max) * (HEIGHT - 4))}`,
  )
  return `M${points.join('L')}`
}

const round = (value: number) => Math.round(value * 10) / 10
