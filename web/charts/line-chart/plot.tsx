/** The chart itself: grid, axes, bands and lines. It is not rendered again when the crosshair moves. */
import { useId } from 'preact/hooks'
import { type ChartGeometry, getBandEdges } from './geometry.ts'
import { type ChartBand, chooseLineStyle, type LineSeries } from './model.ts'
import { buildBarPath, buildLinePaths, buildRangePath } from './paths.ts'
import { type AxisTick, estimateTextWidth } from './ticks.ts'

interface DrawingProps {
  label: string
  geometry: ChartGeometry
  series: readonly LineSeries[]
  incompleteIndex: number | undefined
  bands: readonly ChartBand[]
  failures: ReadonlyMap<number, string>
  valueTicks: readonly { value: number; label: string }[]
  xTicks: readonly AxisTick[]
  hasForcedColours: boolean
}

export function Plot(props: DrawingProps) {
  const { label, geometry, series, bands, valueTicks, xTicks } = props
  const { width, height, left, right, toX, toY } = geometry
  return (
    <svg
      class={isDense(props) ? 'line-chart-svg line-chart-dense' : 'line-chart-svg'}
      width={width}
      height={height}
      role="img"
      aria-label={label}
    >
      {valueTicks.map(({ value, label: text }) => (
        <g key={value}>
          <line class="line-chart-grid" x1={left} x2={right} y1={snap(toY(value))} y2={snap(toY(value))} />
          <text class="line-chart-tick" x={left - 10} y={toY(value)} dy="0.35em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {xTicks.map(({ position, label: text }) => (
        <text
          key={position}
          class="line-chart-tick"
          x={clampLabel(toX(position), text, width)}
          y={height - 8}
          text-anchor="middle"
        >
          {text}
        </text>
      ))}
      <g class={bands.length > MAX_PROMINENT_BANDS ? 'line-chart-many-bands' : undefined}>
        {bands.map((band, index) => (
          <Band key={index} band={band} geometry={geometry} />
        ))}
      </g>
      {series.map((line) => line.hasBars && <Bars key={line.label} line={line} {...props} />)}
      {/* The first line is the most important one, so it is drawn last. */}
      {series
        .map((line, index) => !line.hasBars && <Line key={line.label} line={line} index={index} {...props} />)
        .toReversed()}
      <path class="line-chart-failed" d={buildFailurePath(props)} />
    </svg>
  )
}

/** If a chart has more bands, for example in a year, they are drawn fainter, so that they don't hide the lines. */
const MAX_PROMINENT_BANDS = 12
/** In pixels. Narrower bands have another style, because a tint would be too faint to see. */
const MIN_TINTED_WIDTH = 6

function Band({ band, geometry }: { band: ChartBand; geometry: ChartGeometry }) {
  const edges = getBandEdges(band, geometry)
  if (edges === undefined) return null
  const [x, width] = [edges.start, edges.end - edges.start]
  const { top, bottom } = geometry
  return (
    <g class={width < MIN_TINTED_WIDTH ? 'line-chart-band line-chart-band-narrow' : 'line-chart-band'}>
      <rect x={x} width={width} y={top} height={bottom - top} />
      <rect class="line-chart-band-edge" x={x} width={width} y={bottom} height="3" />
    </g>
  )
}

/** A line on whole pixels is sharp. */
const snap = (pixels: number) => Math.round(pixels) + 0.5

/** Keeps the label of the first or last tick inside the chart. */
function clampLabel(x: number, text: string, width: number): number {
  const half = estimateTextWidth(text) / 2
  return Math.max(half, Math.min(x, width - half))
}

/** The bar of the slot that isn't over yet is fainter. */
function Bars({ line: { values, colourVar }, geometry, incompleteIndex }: DrawingProps & { line: LineSeries }) {
  const build = (isShown: (index: number) => boolean) =>
    buildBarPath(
      values.map((value, index) => (isShown(index) ? value : null)),
      geometry,
    )
  return (
    <g class="line-chart-bars" style={{ fill: `var(${colourVar})` }}>
      <path d={build((index) => index !== incompleteIndex)} />
      <path class="line-chart-bar-incomplete" d={build((index) => index === incompleteIndex)} />
    </g>
  )
}

function Line({ line, index, ...props }: DrawingProps & { line: LineSeries; index: number }) {
  const { geometry, incompleteIndex, hasForcedColours } = props
  const gradientId = useId()
  const isComparison = line.isDashed === true
  const paths = buildLinePaths(
    {
      values: line.values,
      incompleteIndex: isComparison ? undefined : incompleteIndex,
      hasDots: line.hasDots ?? false,
    },
    geometry,
  )
  const colour = `var(${line.colourVar})`
  return (
    <g
      class={`line-chart-line line-chart-${chooseLineStyle(line, index, hasForcedColours)}`}
      style={{ stroke: colour }}
    >
      {line.isFilled && (
        <>
          <linearGradient id={gradientId} x1="0" y1="0" x2="0" y2="1">
            <stop offset="0" style={{ stopColor: colour, stopOpacity: 0.24 }} />
            <stop offset="1" style={{ stopColor: colour, stopOpacity: 0 }} />
          </linearGradient>
          <path class="line-chart-area" d={paths.area} fill={`url(#${gradientId})`} />
        </>
      )}
      {line.range && (
        <path class="line-chart-range" d={buildRangePath(line.range, geometry)} style={{ fill: colour }} />
      )}
      <path d={paths.line} />
      <path class="line-chart-incomplete" d={paths.incompleteLine} />
      <path class="line-chart-dots" d={paths.dots} />
    </g>
  )
}

/** With less space between two values, dots and marks are smaller. */
const MIN_SPACING_PX = 7

const isDense = ({ series, geometry: { left, right } }: DrawingProps) =>
  (right - left) / (series[0]?.values.length ?? 1) < MIN_SPACING_PX

/** Draws a diamond for each failed check. A check without a response has no value, so its diamond is at the bottom. */
function buildFailurePath(props: DrawingProps): string {
  const { failures, series, geometry } = props
  const size = isDense(props) ? 2.5 : 4.5
  return [...failures.keys()]
    .map((index) => {
      const value = series[0]?.values[index]
      const y = value == null ? geometry.bottom - size : geometry.toY(value)
      return `M${geometry.xOf(index)} ${y - size}l${size} ${size}l${-size} ${size}l${-size} ${-size}Z`
    })
    .join('')
}
