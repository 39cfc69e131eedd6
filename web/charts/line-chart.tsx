/** The large chart of a page: lines over time, with tooltip, legend and table. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatDateTime } from '../lib/format.ts'
import { useMediaQuery } from '../lib/use-media-query.ts'
import {
  chooseLineStyle,
  computeTooltipLeft,
  hasLabels,
  type LineAxis,
  type LineSeries,
  type LineStyle,
  listNotesAt,
  type ShadedRange,
} from './line-chart/model.ts'
import { createPalette, FORCED_COLOURS_QUERY, watchTheme } from './line-chart/palette.ts'
import { createPlotOptions, type PlotInput, toPlotData } from './line-chart/plot.ts'
import { formatOrDash, ValueTable } from './line-chart/value-table.tsx'
import './line-chart.css'

export type { LineSeries, ShadedRange } from './line-chart/model.ts'

interface LineChartProps {
  /** Describes the chart for screen readers. */
  label: string
  /** Unix seconds, shown in the browser's time zone, or one label per value. */
  x: LineAxis
  /** Longer forms of the labels, for the tooltip and the table. */
  xTitles?: readonly string[]
  series: readonly LineSeries[]
  shadedRanges?: readonly ShadedRange[]
  formatValue: (value: number) => string
  /** A shorter format for the y axis. */
  formatAxis?: (value: number) => string
  /** Height of the plot in pixels. */
  height: number
}

interface HoveredPoint {
  index: number
  /** Pixels from the left edge of the chart. */
  left: number
}

export function LineChart(props: LineChartProps) {
  const { label, x, xTitles, series, shadedRanges = [], formatValue, height } = props
  const container = useRef<HTMLDivElement>(null)
  const [hoveredPoint, setHoveredPoint] = useState<HoveredPoint>()
  const hasForcedColours = useMediaQuery(FORCED_COLOURS_QUERY)
  usePlot(container, { ...props, hasForcedColours, formatAxis: props.formatAxis ?? formatValue }, setHoveredPoint)
  const formatX = (index: number) => {
    const value = x[index]
    return xTitles?.[index] ?? (typeof value === 'number' ? formatDateTime(new Date(value * 1_000)) : `${value}`)
  }
  return (
    <div class="line-chart">
      {series.length > 1 && <Legend series={series} hasForcedColours={hasForcedColours} />}
      <div class="line-chart-plot">
        <div ref={container} role="img" aria-label={label} style={{ height: `${height}px` }} />
        {hoveredPoint !== undefined && hoveredPoint.index < x.length && (
          <Tooltip pointX={hoveredPoint.left}>
            <strong>{formatX(hoveredPoint.index)}</strong>
            {series.map((line, index) => (
              <span key={line.label} class="line-chart-key">
                <Swatch colourVar={line.colourVar} lineStyle={chooseLineStyle(line, index, hasForcedColours)} />
                {line.label}
                <b class="numbers">{formatOrDash(line.values[hoveredPoint.index], formatValue)}</b>
              </span>
            ))}
            {listNotesAt(x, shadedRanges, hoveredPoint.index).map((note) => (
              <span key={note} class="line-chart-note">
                {note}
              </span>
            ))}
          </Tooltip>
        )}
      </div>
      <ValueTable
        label={label}
        x={x}
        formatX={formatX}
        series={series}
        shadedRanges={shadedRanges}
        formatValue={formatValue}
      />
    </div>
  )
}

/** The tooltip's width is known only after layout. An effect then positions the tooltip inside the chart. */
function Tooltip({ pointX, children }: { pointX: number; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const tooltip = box.current
    if (!tooltip) return
    tooltip.style.left = `${computeTooltipLeft(pointX, tooltip.offsetWidth, tooltip.parentElement?.clientWidth ?? 0)}px`
  })
  return (
    <div ref={box} class="line-chart-tooltip" aria-hidden="true">
      {children}
    </div>
  )
}

function Legend({ series, hasForcedColours }: { series: readonly LineSeries[]; hasForcedColours: boolean }) {
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

function Swatch({ colourVar, lineStyle }: { colourVar: string; lineStyle: LineStyle }) {
  return (
    <span
      class="line-chart-swatch"
      aria-hidden="true"
      style={{ borderTopColor: `var(${colourVar})`, borderTopStyle: lineStyle }}
    />
  )
}

/** Updates the uPlot chart when values, width or colours change. Other changes, such as another line, need a new chart. */
function usePlot(
  container: { current: HTMLDivElement | null },
  input: PlotInput,
  setHoveredPoint: (point: HoveredPoint | undefined) => void,
): void {
  const latestInput = useRef(input)
  latestInput.current = input
  const plot = useRef<uPlot>()
  const linesWithoutValues = input.series.map(({ values: _, ...rest }) => rest)
  const chartKey = JSON.stringify([hasLabels(input.x), input.height, input.hasForcedColours, linesWithoutValues])

  // `chartKey` contains everything that needs a new chart. Drawing reads the rest from `latestInput`.
  useEffect(() => {
    const box = container.current
    if (box === null) return
    const palette = createPalette(box)
    const onCursor = (uplot: uPlot) => {
      const { idx, left } = uplot.cursor
      if (idx == null || (left ?? -1) < 0) return setHoveredPoint(undefined)
      const leftInPlot = uplot.valToPos(uplot.data[0][idx] ?? 0, 'x')
      setHoveredPoint({ index: idx, left: leftInPlot + uplot.over.offsetLeft })
    }
    const options = createPlotOptions(() => latestInput.current, palette, { width: box.clientWidth, onCursor })
    const chart = new uPlot(options, toPlotData(latestInput.current), box)
    plot.current = chart
    const resizeObserver = new ResizeObserver(() =>
      chart.setSize({ width: box.clientWidth, height: latestInput.current.height }),
    )
    resizeObserver.observe(box)
    const stopWatching = watchTheme(() => {
      palette.reset()
      chart.redraw(false)
    })
    return () => {
      stopWatching()
      resizeObserver.disconnect()
      chart.destroy()
      plot.current = undefined
      setHoveredPoint(undefined)
    }
  }, [chartKey])

  const { x, series, shadedRanges } = input
  useEffect(() => plot.current?.setData(toPlotData({ x, series })), [x, series, shadedRanges])
}
