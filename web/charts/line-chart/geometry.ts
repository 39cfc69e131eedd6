/** Computes positions in a chart, in pixels from its top left corner. */
import { type ChartBand, getPosition, getXRange, type LineAxis } from './model.ts'

/** The rectangle in which lines are drawn. */
export interface PlotArea {
  left: number
  right: number
  top: number
  bottom: number
}

export interface ChartGeometry extends PlotArea {
  width: number
  height: number
  toX: (position: number) => number
  toY: (value: number) => number
  /** The inverse of `toX`. */
  toPosition: (x: number) => number
  /** The x coordinate of a value. */
  xOf: (index: number) => number
}

const TOP_MARGIN = 12
const RIGHT_MARGIN = 10
const X_AXIS_HEIGHT = 30

interface GeometryInput {
  width: number
  height: number
  /** Width of the y axis with its labels. */
  axisWidth: number
  x: LineAxis
  xRange: readonly [number, number] | undefined
  /** The value at the top of the chart. The bottom is 0. */
  maxValue: number
}

export function createGeometry({ width, height, axisWidth, x, xRange, maxValue }: GeometryInput): ChartGeometry {
  const [left, right] = [axisWidth, Math.max(axisWidth + 1, width - RIGHT_MARGIN)]
  const [top, bottom] = [TOP_MARGIN, height - X_AXIS_HEIGHT]
  const [first, last] = getXRange(x, xRange)
  const toX = (position: number) => left + ((position - first) / (last - first)) * (right - left)
  return {
    width,
    height,
    left,
    right,
    top,
    bottom,
    toX,
    toY: (value) => bottom - (value / maxValue) * (bottom - top),
    toPosition: (pixels) => first + ((pixels - left) / (right - left)) * (last - first),
    xOf: (index) => toX(getPosition(x, index)),
  }
}

const MIN_BAND_WIDTH = 2

/**
 * Returns edges that are at least two pixels apart, so that even the shortest outage is visible. Undefined if the band
 * isn't in the chart.
 */
export function getBandEdges(
  { from, to }: Pick<ChartBand, 'from' | 'to'>,
  { left, right, toX }: ChartGeometry,
): { start: number; end: number } | undefined {
  const [start, end] = [Math.max(left, toX(from)), Math.min(right, toX(to))]
  if (start > right || end < left) return undefined
  if (end - start >= MIN_BAND_WIDTH) return { start, end }
  const first = Math.min(start, right - MIN_BAND_WIDTH)
  return { start: first, end: first + MIN_BAND_WIDTH }
}

interface Size {
  width: number
  height: number
}

/** Distance of the tooltip from the point. */
const TOOLTIP_GAP = 16

/** The position of the values at the crosshair. `y` is the position of the most important value. */
export interface TooltipAnchor {
  x: number
  y: number
  top: number
  bottom: number
}

/**
 * Returns the top left corner of the tooltip. The tooltip is right of its values, or left of them if there is no space.
 * In a narrow chart, it is above or below them. It never covers its values, and never leaves the chart sideways.
 */
export function placeTooltip(anchor: TooltipAnchor, tooltip: Size, chart: Size): { left: number; top: number } {
  const clamp = (value: number, max: number) => Math.max(0, Math.min(value, max))
  const top = clamp(anchor.y - tooltip.height / 2, chart.height - tooltip.height)
  const right = anchor.x + TOOLTIP_GAP
  if (right + tooltip.width <= chart.width) return { left: right, top }
  const left = anchor.x - TOOLTIP_GAP - tooltip.width
  if (left >= 0) return { left, top }
  const below = anchor.bottom + TOOLTIP_GAP
  const fitsBelow = below + tooltip.height <= chart.height
  return {
    left: clamp(anchor.x - tooltip.width / 2, chart.width - tooltip.width),
    top: fitsBelow ? below : anchor.top - TOOLTIP_GAP - tooltip.height,
  }
}
