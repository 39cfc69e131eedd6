/** What follows the pointer: crosshair, a dot on each line, the tooltip and the selected range. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { type ChartGeometry, placeTooltip, type TooltipAnchor } from './geometry.ts'
import { getSlot, type LineAxis, type LineSeries } from './model.ts'
import type { Selection } from './use-explorer.ts'

interface CrosshairLinesProps {
  index: number
  series: readonly LineSeries[]
  geometry: ChartGeometry
}

export function CrosshairLines({
  index,
  series,
  geometry: { width, height, top, bottom, xOf, toY },
}: CrosshairLinesProps) {
  const x = xOf(index)
  return (
    <svg class="line-chart-overlay" width={width} height={height} aria-hidden="true">
      <line class="line-chart-crosshair" x1={x} x2={x} y1={top} y2={bottom} />
      {series.map(({ label, values, colourVar }) => {
        const value = values[index]
        return (
          value != null && (
            <circle
              key={label}
              class="line-chart-point"
              cx={x}
              cy={toY(value)}
              r="4.5"
              style={{ fill: `var(${colourVar})` }}
            />
          )
        )
      })}
    </svg>
  )
}

/**
 * Pressing a button or link must not take the focus from the chart: without the focus, the chart would remove the
 * button or link before the click.
 */
const keepFocus = (event: MouseEvent) => event.preventDefault()

interface SelectedRangeProps {
  selection: Selection
  x: LineAxis
  geometry: ChartGeometry
  onZoom: () => void
}

export function SelectedRange({ selection, x, geometry, onZoom }: SelectedRangeProps) {
  const { anchor, head, isDragging } = selection
  if (anchor === head) return null
  const start = Math.max(geometry.left, geometry.toX(getSlot(x, Math.min(anchor, head))[0]))
  const end = Math.min(geometry.right, geometry.toX(getSlot(x, Math.max(anchor, head))[1]))
  return (
    <div
      class="line-chart-selection"
      style={{ left: start, width: end - start, top: geometry.top, height: geometry.bottom - geometry.top }}
    >
      {!isDragging && (
        <button type="button" class="line-chart-zoom" tabIndex={-1} onMouseDown={keepFocus} onClick={onZoom}>
          Zoom in
        </button>
      )}
    </div>
  )
}

interface ChartTooltipProps {
  anchor: TooltipAnchor
  children: ComponentChildren
}

/** The size of the tooltip is known only after layout. An effect then moves it beside its values. */
export function ChartTooltip({ anchor, children }: ChartTooltipProps) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const tooltip = box.current
    const chart = tooltip?.closest<HTMLElement>('.line-chart-plot')
    if (!tooltip || !chart) return
    const { left, top } = placeTooltip(
      anchor,
      { width: tooltip.offsetWidth, height: tooltip.offsetHeight },
      { width: chart.clientWidth, height: chart.clientHeight },
    )
    tooltip.style.translate = `${Math.round(left)}px ${Math.round(top)}px`
  })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keeps the focus, does nothing else
    <div ref={box} class="line-chart-tooltip" onMouseDown={keepFocus}>
      {children}
    </div>
  )
}
