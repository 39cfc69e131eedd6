/** The names of the lines, with a sample of each line. */
import { chooseLineStyle, type LineSeries, type LineStyle } from './model.ts'

export function Legend({ series, hasForcedColours }: { series: readonly LineSeries[]; hasForcedColours: boolean }) {
  return (
    <ul class="line-chart-legend small muted">
      {series.map((line, index) => (
        <li key={line.label} class="line-chart-key">
          <Swatch
            colourVar={line.colourVar}
            lineStyle={chooseLineStyle(line, index, hasForcedColours)}
            hasRange={line.range !== undefined}
          />
          {line.label}
        </li>
      ))}
    </ul>
  )
}

interface SwatchProps {
  colourVar: string
  lineStyle: LineStyle
  /** Whether an area around the line shows its range. */
  hasRange?: boolean
}

export function Swatch({ colourVar, lineStyle, hasRange = false }: SwatchProps) {
  return (
    <span
      class={`line-chart-swatch line-chart-swatch-${lineStyle}${hasRange ? ' line-chart-swatch-range' : ''}`}
      aria-hidden="true"
      style={{ color: `var(${colourVar})` }}
    />
  )
}
