/** SVG paths of one line of a chart. */
import type { ChartGeometry } from './geometry.ts'
import type { ValueRange } from './model.ts'

interface LinePaths {
  /** The line up to the incomplete slot. */
  line: string
  /** The segment into the incomplete slot, whose value still changes. */
  incompleteLine: string
  /** The area below the line. */
  area: string
  /** Dots at values that no line connects, or at all values if the line `hasDots`. */
  dots: string
}

interface LineInput {
  values: readonly (number | null)[]
  incompleteIndex: number | undefined
  hasDots: boolean
}

export function buildLinePaths(
  { values, incompleteIndex, hasDots }: LineInput,
  { xOf, toY, bottom }: Pick<ChartGeometry, 'xOf' | 'toY' | 'bottom'>,
): LinePaths {
  const paths: LinePaths = { line: '', incompleteLine: '', area: '', dots: '' }
  for (const run of listRuns(values)) {
    const points = run.map((index) => `${round(xOf(index))} ${round(toY(values[index] ?? 0))}`)
    const isIncomplete = incompleteIndex !== undefined && run.at(-1) === incompleteIndex
    const completePoints = isIncomplete ? points.slice(0, -1) : points
    if (completePoints.length > 1) paths.line += `M${completePoints.join('L')}`
    if (isIncomplete && points.length > 1) paths.incompleteLine = `M${points.slice(-2).join('L')}`
    if (points.length > 1) {
      const baselinePoints = [run.at(-1), run[0]].map((index = 0) => `${round(xOf(index))} ${round(bottom)}`)
      paths.area += `M${points.join('L')}L${baselinePoints.join('L')}Z`
    }
    // A line of length 0 with round ends is a dot.
    if (hasDots || points.length === 1) paths.dots += points.map((point) => `M${point}h0`).join('')
  }
  return paths
}

/** The area between the bounds of consecutive values. */
export function buildRangePath({ low, high }: ValueRange, { xOf, toY }: Pick<ChartGeometry, 'xOf' | 'toY'>): string {
  const toPoint = (values: ValueRange['low']) => (index: number) =>
    `${round(xOf(index))} ${round(toY(values[index] ?? 0))}`
  return listRuns(high.map((value, index) => (low[index] == null ? null : value)))
    .map((run) => `M${[...run.map(toPoint(high)), ...run.toReversed().map(toPoint(low))].join('L')}Z`)
    .join('')
}

/** The share of a slot that its bar fills. */
const BAR_SHARE = 0.76

/** One bar for each value above 0. All slots have the same width. */
export function buildBarPath(
  values: readonly (number | null | undefined)[],
  { xOf, toY, left, right, bottom }: Pick<ChartGeometry, 'xOf' | 'toY' | 'left' | 'right' | 'bottom'>,
): string {
  const width = Math.max(1, (BAR_SHARE * (right - left)) / Math.max(1, values.length))
  return values
    .map((value, index) => {
      if (value == null || value === 0) return ''
      const [start, top] = [round(xOf(index) - width / 2), round(toY(value))]
      return `M${start} ${round(bottom)}V${top}h${round(width)}V${round(bottom)}Z`
    })
    .join('')
}

/** Lists runs of consecutive values by their indexes. A gap ends a run. */
function listRuns(values: LineInput['values']): number[][] {
  const runs: number[][] = []
  for (const [index, value] of values.entries()) {
    if (value === null || value === undefined) continue
    const run = runs.at(-1)
    if (run?.at(-1) === index - 1) run.push(index)
    else runs.push([index])
  }
  return runs
}

const round = (pixels: number) => Math.round(pixels * 10) / 10
