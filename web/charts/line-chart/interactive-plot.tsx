/** The chart with its crosshair, tooltip and selection. */
import { useId, useMemo } from 'preact/hooks'
import { Link, useLocation } from 'wouter-preact'
import { createGeometry, getBandEdges } from './geometry.ts'
import { findMax, getXRange, listBandsAt } from './model.ts'
import { ChartTooltip, CrosshairLines, SelectedRange } from './overlay.tsx'
import { Plot } from './plot.tsx'
import type { PlotProps } from './props.ts'
import { axisFormats, estimateTextWidth, listValueTicks, listXTicks } from './ticks.ts'
import { findTooltipAnchor, TooltipRows } from './tooltip-rows.tsx'
import { useExplorer } from './use-explorer.ts'

const MIN_TICK_DISTANCE_PX = 48

export function InteractivePlot(props: PlotProps) {
  const { x, series, bands, onZoom } = props
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
        // With this role, a screen reader passes the arrow keys on to the chart.
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
          const style = {
            left: edges.start,
            width: edges.end - edges.start,
            top: geometry.top,
            height: geometry.bottom - geometry.top,
          }
          // This link is only for the mouse. Keyboard users press Enter in the chart, or use the links in the table.
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
        {crosshair && (
          <ChartTooltip anchor={findTooltipAnchor(crosshair.index, series, geometry)}>
            <TooltipRows {...props} index={crosshair.index} />
          </ChartTooltip>
        )}
      </div>
    </>
  )
}

function usePlot(props: PlotProps) {
  const { label, x, xRange, series, incompleteIndex, bands, failures, width, height } = props
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
  }, [
    label,
    x,
    xRange,
    series,
    incompleteIndex,
    bands,
    failures,
    width,
    height,
    axisKind,
    formatAxis,
    hasForcedColours,
  ])
}
