/** The uPlot options that draw a line chart. */
import uPlot from 'uplot'
import { DAY_SECONDS } from '../../../src/shared/time.ts'
import { formatClockTime, formatShortDay } from '../../lib/format.ts'
import {
  chooseLineStyle,
  computeYRange,
  dashPatterns,
  findIsolatedIndexes,
  getRangeEdges,
  hasLabels,
  integerSteps,
  type LineAxis,
  type LineSeries,
  type ShadedRange,
} from './model.ts'
import type { Palette } from './palette.ts'

export interface PlotInput {
  x: LineAxis
  series: readonly LineSeries[]
  shadedRanges?: readonly ShadedRange[]
  formatAxis: (value: number) => string
  height: number
  /** Whether the operating system forces its colours, so that lines must differ in more than colour. */
  hasForcedColours: boolean
}

const FONT = '12px system-ui, "Segoe UI", Roboto, sans-serif'
/** Space beside the plot for half of the first or last x-axis label, such as “12:00 PM”. */
const HALF_LABEL_PX = 28

export function toPlotData({ x, series }: Pick<PlotInput, 'x' | 'series'>): uPlot.AlignedData {
  const positions = hasLabels(x) ? x.map((_, index) => index) : [...x]
  return [positions, ...series.map(({ values }) => [...values])]
}

/** Calls `getInput` on every draw, so that changed labels, formats and shaded ranges don't need a new chart. */
export function createPlotOptions(
  getInput: () => PlotInput,
  palette: Palette,
  { width, onCursor }: { width: number; onCursor: (plot: uPlot) => void },
): uPlot.Options {
  const { series, height, hasForcedColours } = getInput()
  const gridStyle = { stroke: () => palette.getColour('--line'), width: 1 }
  const axisStyle = { stroke: () => palette.getColour('--muted'), font: FONT, ticks: { show: false } }
  return {
    width,
    height,
    padding: [10, HALF_LABEL_PX, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    scales: {
      x: {
        time: !hasLabels(getInput().x),
        range: (_, min, max) => (min === max ? [min - 0.5, max + 0.5] : [min, max]),
      },
      y: { range: (_, _min, max) => computeYRange(max) },
    },
    axes: [
      { ...axisStyle, space: 72, gap: 12, size: 34, grid: { show: false }, ...createXAxis(getInput) },
      {
        ...axisStyle,
        space: 44,
        gap: 6,
        grid: gridStyle,
        incrs: integerSteps,
        values: (_, splits) => splits.map((value) => getInput().formatAxis(value)),
        size: (_, values) =>
          Math.max(HALF_LABEL_PX, 16 + 7 * Math.max(0, ...(values ?? []).map(({ length }) => length))),
      },
    ],
    series: [
      {},
      ...series.map(({ label, colourVar, isFilled = false, ...rest }, index) => ({
        label,
        stroke: () => palette.getColour(colourVar),
        width: 2,
        points: {
          show: false,
          filter: (plot: uPlot, seriesIndex: number) => findIsolatedIndexes(plot.data[seriesIndex] ?? []),
          size: 6,
          fill: () => palette.getColour(colourVar),
        },
        ...(isFilled && { fill: () => palette.getTint(colourVar) }),
        dash: dashPatterns[chooseLineStyle(rest, index, hasForcedColours)],
      })),
    ],
    hooks: { drawClear: [(plot) => drawShadedRanges(plot, getInput(), palette)], setCursor: [onCursor] },
  }
}

function createXAxis(getInput: () => PlotInput): Partial<uPlot.Axis> {
  const { x } = getInput()
  if (!hasLabels(x)) {
    return { values: (_, splits, _axis, _space, step) => splits.map((seconds) => formatTick(seconds, step)) }
  }
  return {
    incrs: integerSteps,
    values: (_, splits) => splits.map((position) => String(getInput().x[position] ?? '')),
  }
}

/** In the browser's time zone. Shows the date at midnight or if ticks are days apart, otherwise the time. */
function formatTick(seconds: number, step: number): string {
  const at = new Date(seconds * 1_000)
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0
  if (step < DAY_SECONDS && !isMidnight) return formatClockTime(at)
  const pad = (number: number) => `${number}`.padStart(2, '0')
  return formatShortDay(`${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`)
}

/** Runs before uPlot draws the grid and the lines, so that they stay visible above the shading. */
function drawShadedRanges(plot: uPlot, { x, shadedRanges = [] }: PlotInput, palette: Palette): void {
  const { ctx, bbox } = plot
  const right = bbox.left + bbox.width
  ctx.save()
  ctx.fillStyle = palette.getColour('--down-soft')
  for (const range of shadedRanges) {
    const [from, to] = getRangeEdges(x, range).map((position) => plot.valToPos(position, 'x', true)) as [number, number]
    const start = Math.max(bbox.left, from)
    // Draw at least two pixels, so that even the shortest range is visible.
    const width = Math.max(2 * uPlot.pxRatio, Math.min(right, to) - start)
    if (to >= bbox.left && from <= right) ctx.fillRect(start, bbox.top, width, bbox.height)
  }
  ctx.restore()
}
