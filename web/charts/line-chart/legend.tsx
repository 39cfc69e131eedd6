/** The names of the lines, with a sample of each line. */
import { chooseLineStyle, type LineSeries, type LineStyle } from './model.ts'

export function Legend({ series, hasForcedColours }: { series: readonly LineSeries[]; hasForcedColours: boolean }) {
  return (
    <ul class="line-chart-legend small muted">
      {series.map((line, index) => (
        <li key={line.label} class="line-chart-key">
          <Swatch colourVar={line.colourVar} lineStyle={chooseLineStyle(line, index, hasForcedColours)} />
          {line.label}
        </li>
      ))}
    </ul>
  )
}

export function Swatch({ colourVar, lineStyle }: { colourVar: string; lineStyle: LineStyle }) {
  return (
    <span
      class={`line-chart-swatch line-chart-swatch-${lineStyle}`}
      aria-hidden="true"
      style={{ color: `var(${colourVar})` }}
    />
  )
}
