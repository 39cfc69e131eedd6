/** How a line chart is drawn. */
import uPlot from 'uplot'
import { formatTime, formatShortDay } from '../../lib/format.ts'
import type { Palette } from './palette.ts'
import {
  aloneIn,
  dashes,
  edgesOf,
  hasLabels,
  heightOf,
  type LineAxis,
  type LineSeries,
  type ShadedRange,
  strokeOf,
  wholeSteps,
} from './shape.ts'

export interface Drawn {
  x: LineAxis
  series: readonly LineSeries[]
  shaded?: readonly ShadedRange[]
  formatAxis: (value: number) => string
  height: number
  /** Whether colours are few. */
  isPlain: boolean
}

const FONT = '12px system-ui, "Segoe UI", Roboto, sans-serif'
/** In pixels: at both ends half of "12:00 PM" stands beyond the values. */
const HALF_LABEL = 28
const DAY_SECONDS = 86_400

export function dataOf({ x, series }: Pick<Drawn, 'x' | 'series'>): uPlot.AlignedData {
  const places = hasLabels(x) ? x.map((_, index) => index) : [...x]
  return [places, ...series.map(({ values }) => [...values])]
}

/** What may change without a new chart is asked for by `now`; the rest is as it was at the beginning. */
export function optionsOf(
  now: () => Drawn,
  palette: Palette,
  { width, onPoint }: { width: number; onPoint: (plot: uPlot) => void },
): uPlot.Options {
  const { series, height, isPlain } = now()
  const line = { stroke: () => palette.colour('--line'), width: 1 }
  const axis = { stroke: () => palette.colour('--muted'), font: FONT, ticks: { show: false } }
  return {
    width,
    height,
    padding: [10, HALF_LABEL, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    scales: {
      x: { time: !hasLabels(now().x), range: (_, min, max) => (min === max ? [min - 0.5, max + 0.5] : [min, max]) },
      y: { range: (_, _min, max) => heightOf(max) },
    },
    axes: [
      { ...axis, space: 72, gap: 12, size: 34, grid: { show: false }, ...xAxis(now) },
      {
        ...axis,
        space: 44,
        gap: 6,
        grid: line,
        incrs: wholeSteps,
        values: (_, splits) => splits.map((value) => now().formatAxis(value)),
        size: (_, values) => Math.max(HALF_LABEL, 16 + 7 * Math.max(0, ...(values ?? []).map(({ length }) => length))),
      },
    ],
    series: [
      {},
      ...series.map(({ label, colourVar, fill = false, ...rest }, index) => ({
        label,
        stroke: () => palette.colour(colourVar),
        width: 2,
        points: {
          show: false,
          filter: (plot: uPlot, at: number) => aloneIn(plot.data[at] ?? []),
          size: 6,
          fill: () => palette.colour(colourVar),
        },
        ...(fill && { fill: () => palette.tint(colourVar) }),
        dash: dashes[strokeOf(rest, index, isPlain)],
      })),
    ],
    hooks: { drawClear: [(plot) => shade(plot, now(), palette)], setCursor: [onPoint] },
  }
}

function xAxis(now: () => Drawn): Partial<uPlot.Axis> {
  const { x } = now()
  if (!hasLabels(x)) {
    return { values: (_, splits, _axis, _space, step) => splits.map((seconds) => nameMoment(seconds, step)) }
  }
  return {
    incrs: wholeSteps,
    values: (_, splits) => splits.map((place) => String(now().x[place] ?? '')),
  }
}

/** By the clock of the reader: the time, or the day where steps are days or one begins. */
function nameMoment(seconds: number, step: number): string {
  const at = new Date(seconds * 1_000)
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0
  if (step < DAY_SECONDS && !isMidnight) return formatTime(at)
  const pad = (number: number) => `${number}`.padStart(2, '0')
  return formatShortDay(`${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`)
}

/** Below the lines and the grid. */
function shade(plot: uPlot, { x, shaded = [] }: Drawn, palette: Palette): void {
  const { ctx, bbox } = plot
  const right = bbox.left + bbox.width
  ctx.save()
  ctx.fillStyle = palette.colour('--down-soft')
  for (const range of shaded) {
    const [from, to] = edgesOf(x, range).map((place) => plot.valToPos(place, 'x', true)) as [number, number]
    const start = Math.max(bbox.left, from)
    // However short it was, it can be seen.
    const width = Math.max(2 * uPlot.pxRatio, Math.min(right, to) - start)
    if (to >= bbox.left && from <= right) ctx.fillRect(start, bbox.top, width, bbox.height)
  }
  ctx.restore()
}
