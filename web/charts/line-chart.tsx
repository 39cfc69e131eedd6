/** The large chart of a page: lines over time that mouse, touch and keyboard can explore, with legend and table. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { formatDateTime } from '../lib/format.ts'
import { useMediaQuery } from '../lib/use-media-query.ts'
import { createGeometry, getBandEdges } from './line-chart/geometry.ts'
import { Legend, Swatch } from './line-chart/legend.tsx'
import {
  type ChartBand,
  chooseLineStyle,
  findMax,
  getXRange,
  hideFutureValues,
  type LineAxis,
  type LineSeries,
  listBandsAt,
} from './line-chart/model.ts'
import { ChartTooltip, CrosshairLines, SelectedRange } from './line-chart/overlay.tsx'
import { Plot } from './line-chart/plot.tsx'
import { type AxisKind, axisFormats, estimateTextWidth, listValueTicks, listXTicks } from './line-chart/ticks.ts'
import { useExplorer } from './line-chart/use-explorer.ts'
import { formatOrDash, ValueTable } from './line-chart/value-table.tsx'
import './line-chart.css'

export type { ChartBand, LineSeries } from './line-chart/model.ts'

/** Replaced by `ChartBand`; kept until the website page uses it. */
export interface ShadedRange {
  from: number
  to: number
  label: string
}

interface LineChartProps {
  /** Describes the chart for screen readers. */
  label: string
  /** Unix seconds, shown in the browser's time zone, or one label per value. */
  x: LineAxis
  /** Longer forms of the labels, for the tooltip and the table. */
  xTitles?: readonly string[]
  /** First and last time of the chart, in Unix seconds. By default those of the first and last value. */
  xRange?: readonly [number, number]
  series: readonly LineSeries[]
  /** The slot that isn't over yet. The segment into it is dashed, and later values are gaps. */
  incompleteIndex?: number | undefined
  bands?: readonly ChartBand[]
  shadedRanges?: readonly ShadedRange[]
  /** Values to mark as failed, by index, with the reason. */
  failures?: ReadonlyMap<number, string>
  /** Replaces the tooltip's list of values. The bands are added below. */
  renderTooltip?: (index: number) => ComponentChildren
  /** Lets the user select a range of values. */
  onZoom?: (fromIndex: number, toIndex: number) => void
  formatValue: (value: number) => string
  /** A shorter format for the y axis. */
  formatAxis?: (value: number) => string
  axisKind?: AxisKind
  /** Height of the chart in pixels, with its x axis. */
  height: number
}

/** In high-contrast modes, the operating system replaces the page's colours with a small palette. */
const FORCED_COLOURS_QUERY = '(forced-colors: active)'
const MIN_TICK_DISTANCE_PX = 48
const NO_BANDS: readonly ChartBand[] = []
const NO_FAILURES: ReadonlyMap<number, string> = new Map()

export function LineChart(props: LineChartProps) {
  const { label, x, xTitles, incompleteIndex, shadedRanges, formatValue, height } = props
  const bands = useMemo(
    () => props.bands ?? shadedRanges?.map(({ from, to, label: title }) => ({ from, to: to + 1, title })) ?? NO_BANDS,
    [props.bands, shadedRanges],
  )
  const hasForcedColours = useMediaQuery(FORCED_COLOURS_QUERY)
  const series = useMemo(() => hideFutureValues(props.series, incompleteIndex), [props.series, incompleteIndex])
  const formatX = (index: number) => {
    const value = x[index]
    return xTitles?.[index] ?? (typeof value === 'number' ? formatDateTime(new Date(value * 1_000)) : `${value}`)
  }
  const container = useRef<HTMLDivElement>(null)
  const width = useWidth(container)
  const shared = { ...props, series, bands, hasForcedColours, formatX }
  return (
    <div class="line-chart">
      {series.length > 1 && <Legend series={series} hasForcedColours={hasForcedColours} />}
      <div class="line-chart-plot" ref={container} style={{ height: `${height}px` }}>
        {width > 0 && x.length > 0 && <InteractivePlot {...shared} width={width} />}
      </div>
      <ValueTable
        label={label}
        x={x}
        formatX={formatX}
        series={series}
        bands={bands}
        failures={props.failures ?? NO_FAILURES}
        formatValue={formatValue}
      />
    </div>
  )
}

/** The element's width in pixels, 0 until it is known. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)))
    observer.observe(element.current)
    setWidth(element.current.clientWidth)
    return () => observer.disconnect()
  }, [])
  return width
}

interface InteractivePlotProps extends LineChartProps {
  bands: readonly ChartBand[]
  width: number
  hasForcedColours: boolean
  formatX: (index: number) => string
}

function InteractivePlot(props: InteractivePlotProps) {
  const { x, series, bands, width, onZoom } = props
  const { geometry, plot } = usePlot(props)
  const [, navigate] = useLocation()
  const hintId = useId()
  const explorer = useExplorer({
    x,
    geometry,
    onZoom,
    onOpen: (index) => {
      const href = listBandsAt(x, bands, index).find((band) => band.href !== undefined)?.href
      if (href !== undefined) navigate(href)
    },
  })
  const { crosshair, selection, zoom, handlers } = explorer
  return (
    <>
      {plot}
      {crosshair && <CrosshairLines index={crosshair.index} series={series} geometry={geometry} />}
      <div
        class="line-chart-surface"
        // A screen reader then passes the arrow keys on to the chart.
        role="application"
        aria-label="Values of the chart"
        aria-describedby={hintId}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the crosshair
        tabIndex={0}
        {...handlers}
      >
        {bands.map((band, index) => {
          const edges = getBandEdges(band, geometry)
          if (edges === undefined || band.href === undefined) return null
          const style = { left: edges.start, width: edges.end - edges.start, top: geometry.top, bottom: 30 }
          // With the keyboard, Enter opens the page, and the table has links.
          return (
            <Link key={index} class="line-chart-band-link" href={band.href} tabIndex={-1} aria-hidden style={style} />
          )
        })}
      </div>
      {selection && <SelectedRange selection={selection} x={x} geometry={geometry} onZoom={() => zoom(selection)} />}
      <p id={hintId} class="hidden-text">
        Use the left and right arrow keys, Home and End to read the values.
        {onZoom && ' Hold Shift to select a range, and press Enter to zoom in.'}
        {bands.some(({ href }) => href !== undefined) && ' Press Enter to open the incident at a value.'}
      </p>
      <div role="status" aria-live={crosshair?.source === 'keyboard' ? 'polite' : 'off'}>
        {crosshair && width > 0 && (
          <ChartTooltip point={findTooltipPoint(crosshair.index, series, geometry)}>
            <TooltipRows {...props} index={crosshair.index} />
          </ChartTooltip>
        )}
      </div>
    </>
  )
}

function usePlot(props: InteractivePlotProps) {
  const { label, x, xRange, series, incompleteIndex, bands, failures = NO_FAILURES, width, height } = props
  const { axisKind = 'count', formatAxis = axisFormats[axisKind], hasForcedColours } = props
  return useMemo(() => {
    const ticks = listValueTicks(
      findMax(series),
      axisKind,
      Math.max(2, Math.floor((height - 42) / MIN_TICK_DISTANCE_PX)),
    )
    const valueTicks = ticks.map((value) => ({ value, label: formatAxis(value) }))
    const axisWidth = 16 + Math.max(...valueTicks.map((tick) => estimateTextWidth(tick.label)))
    const geometry = createGeometry({ width, height, axisWidth, x, xRange, maxValue: ticks.at(-1) ?? 1 })
    const xTicks = listXTicks(x, getXRange(x, xRange), geometry.right - geometry.left)
    const shared = { label, geometry, series, incompleteIndex, bands, failures, hasForcedColours }
    return { geometry, plot: <Plot {...shared} valueTicks={valueTicks} xTicks={xTicks} /> }
  }, [label, x, xRange, series, incompleteIndex, bands, failures, width, height, axisKind, hasForcedColours])
}

/** Beside the first line that has a value. */
function findTooltipPoint(
  index: number,
  series: readonly LineSeries[],
  { xOf, toY, top, bottom }: ReturnType<typeof createGeometry>,
): { x: number; y: number } {
  const value = series.map(({ values }) => values[index]).find((each) => each != null)
  return { x: xOf(index), y: value == null ? (top + bottom) / 2 : toY(value) }
}

function TooltipRows(props: InteractivePlotProps & { index: number }) {
  const { index, x, series, bands, failures, formatValue, formatX, renderTooltip, hasForcedColours } = props
  return (
    <>
      {renderTooltip?.(index) ?? (
        <>
          <strong>{formatX(index)}</strong>
          {series.map((line, position) => (
            <span key={line.label} class="line-chart-key">
              <Swatch colourVar={line.colourVar} lineStyle={chooseLineStyle(line, position, hasForcedColours)} />
              {line.label}
              <b class="numbers">{formatOrDash(line.values[index], formatValue)}</b>
            </span>
          ))}
        </>
      )}
      {failures?.has(index) && (
        <span class="line-chart-note">
          <b>Failed</b>
          <span>{failures.get(index)}</span>
        </span>
      )}
      {listBandsAt(x, bands, index).map(({ title, detail, href }, position) => (
        <span key={position} class="line-chart-note">
          <b>
            {href === undefined ? (
              title
            ) : (
              <Link href={href} tabIndex={-1}>
                {title}
              </Link>
            )}
          </b>
          {detail !== undefined && <span>{detail}</span>}
        </span>
      ))}
    </>
  )
}
