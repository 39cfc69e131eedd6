/** The data of a line chart, and the calculations that need no canvas. */
export interface LineSeries {
  label: string
  /** null leaves a gap in the line. */
  values: readonly (number | null)[]
  /** A CSS variable from tokens.css, for example `--chart-1`. */
  colourVar: string
  /** Whether the area below the line is tinted. */
  isFilled?: boolean
  isDashed?: boolean
}

/** A range of the x axis, in Unix seconds, or in indexes if the axis has labels. */
export interface ShadedRange {
  from: number
  to: number
  /** Shown in the tooltip and the table, because colour alone isn't accessible. */
  label: string
}

/** Lengths of dashes and gaps in pixels. */
export const dashPatterns = { solid: [], dashed: [5, 5], dotted: [2, 4] }
export type LineStyle = keyof typeof dashPatterns

/** With forced colours, each line gets its own dash pattern. */
export function chooseLineStyle(
  { isDashed = false }: Pick<LineSeries, 'isDashed'>,
  index: number,
  hasForcedColours: boolean,
): LineStyle {
  if (isDashed) return 'dashed'
  return (hasForcedColours && (['solid', 'dashed', 'dotted'] as const)[index]) || 'solid'
}

const TOOLTIP_GAP_PX = 12

/** The left edge of the tooltip for a point, in pixels: right of the point if it fits, else left of it. */
export function computeTooltipLeft(pointX: number, tooltipWidth: number, chartWidth: number): number {
  if (pointX + TOOLTIP_GAP_PX + tooltipWidth <= chartWidth) return pointX + TOOLTIP_GAP_PX
  const left = pointX - TOOLTIP_GAP_PX - tooltipWidth
  return left >= 0 ? left : Math.max(0, chartWidth - tooltipWidth)
}

/** Unix seconds, or a label for each value. */
export type LineAxis = readonly number[] | readonly string[]

export const hasLabels = (x: LineAxis): x is readonly string[] => typeof x[0] === 'string'

/** The position of a value on the x axis. */
function getPosition(x: LineAxis, index: number): number {
  return hasLabels(x) ? index : (x[index] ?? 0)
}

/** Where shading starts and ends. On an axis with labels it extends halfway to the neighbouring labels. */
export function getRangeEdges(x: LineAxis, { from, to }: ShadedRange): [number, number] {
  return hasLabels(x) ? [from - 0.5, to + 0.5] : [from, to]
}

/** Unique labels of the shaded ranges at a value. On a time axis, a value covers the time until the next one. */
export function listNotesAt(x: LineAxis, shadedRanges: readonly ShadedRange[], index: number): string[] {
  const start = getPosition(x, index)
  const end = hasLabels(x) || index + 1 >= x.length ? start : getPosition(x, index + 1) - 1
  const overlappingRanges = shadedRanges.filter(({ from, to }) => from <= end && to >= start)
  return [...new Set(overlappingRanges.map(({ label }) => label))]
}

/** Indexes of values between two gaps. No line connects them, so they are drawn as points. null if there are none. */
export function findIsolatedIndexes(values: ArrayLike<number | null | undefined>): number[] | null {
  const hasValue = (index: number) => values[index] != null
  const indexes = Array.from(values, (_, index) => index).filter(
    (index) => hasValue(index) && !hasValue(index - 1) && !hasValue(index + 1),
  )
  return indexes.length === 0 ? null : indexes
}

/** From 0 to a little above the maximum, so that the line doesn't touch the top edge. */
export function computeYRange(max: number | null): [number, number] {
  return [0, max === null || max <= 0 ? 1 : max * 1.08]
}

/** Possible distances between ticks. Integers, because half a visitor makes no sense. */
export const integerSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
