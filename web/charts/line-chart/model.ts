/** The data of a line chart, and the calculations that need no drawing. */
export interface LineSeries {
  label: string
  /** null leaves a gap in the line. */
  values: readonly (number | null)[]
  /** A CSS variable from tokens.css, for example `--chart-1`. */
  colourVar: string
  /** Whether the area below the line is tinted. */
  isFilled?: boolean
  /** Draws the whole line dashed. Such a line is a comparison, so `incompleteIndex` doesn't apply to it. */
  isDashed?: boolean
  /** Draws a dot at every value. Otherwise, only values that no line connects have dots. */
  hasDots?: boolean
  /** Draws a bar for each value instead of a line. */
  hasBars?: boolean
  /** The bounds of each value, if it is an estimate. The area between them is tinted. */
  range?: ValueRange
}

export interface ValueRange {
  low: readonly (number | null)[]
  high: readonly (number | null)[]
}

/** A period that is shaded, such as an outage. */
export interface ChartBand {
  /** Unix seconds, or a slot position if the axis has labels: 3 is the start of the fourth slot, 3.5 its middle. */
  from: number
  to: number
  /** Shown in the tooltip and the table, because colour alone isn't accessible. */
  title: string
  detail?: string | undefined
  /** Page about the period. A click on the band opens it, and so does Enter. */
  href?: string | undefined
}

/** Unix seconds, or a label for each value. A label names a slot, such as a day, and its value is in the slot's middle. */
export type LineAxis = readonly number[] | readonly string[]

export const hasLabels = (x: LineAxis): x is readonly string[] => typeof x[0] === 'string'

/** The position of a value on the x axis. */
export function getPosition(x: LineAxis, index: number): number {
  return hasLabels(x) ? index + 0.5 : (x[index] ?? 0)
}

/**
 * The part of the x axis that belongs to a value. This is its slot or, on a time axis, the range up to halfway to the
 * neighbouring values.
 */
export function getSlot(x: LineAxis, index: number): [start: number, end: number] {
  if (hasLabels(x)) return [index, index + 1]
  const at = getPosition(x, index)
  const [before, after] = [x[index - 1], x[index + 1]]
  const halfStep = (Math.abs(at - (before ?? after ?? at)) || 1) / 2
  return [
    before === undefined ? at - halfStep : (before + at) / 2,
    after === undefined ? at + halfStep : (at + after) / 2,
  ]
}

/** The first and last position that the chart shows. */
export function getXRange(x: LineAxis, xRange: readonly [number, number] | undefined): readonly [number, number] {
  if (hasLabels(x)) return [0, x.length]
  const [first, last] = xRange ?? [x[0] ?? 0, x.at(-1) ?? 0]
  return first === last ? [Number(first) - 0.5, Number(last) + 0.5] : [Number(first), Number(last)]
}

export function findNearestIndex(x: LineAxis, position: number): number {
  if (hasLabels(x)) return Math.max(0, Math.min(x.length - 1, Math.floor(position)))
  let nearest = 0
  for (let index = 1; index < x.length; index++) {
    if (Math.abs(getPosition(x, index) - position) < Math.abs(getPosition(x, nearest) - position)) nearest = index
  }
  return nearest
}

/** Lists the bands at a value. Lists only one of several bands with the same texts and link. */
export function listBandsAt(x: LineAxis, bands: readonly ChartBand[], index: number): ChartBand[] {
  const [start, end] = getSlot(x, index)
  const overlappingBands = bands.filter(({ from, to }) => from < end && Math.max(to, from) >= start)
  const uniqueBands = new Map(overlappingBands.map((band) => [`${band.title}\n${band.detail}\n${band.href}`, band]))
  return [...uniqueBands.values()]
}

/** Replaces values after the incomplete slot with gaps, because they are in the future. */
export function hideFutureValues(series: readonly LineSeries[], incompleteIndex: number | undefined): LineSeries[] {
  if (incompleteIndex === undefined) return [...series]
  return series.map((line) =>
    line.isDashed === true
      ? line
      : { ...line, values: line.values.map((value, index) => (index > incompleteIndex ? null : value)) },
  )
}

/** The largest value of all lines, or null without values. */
export function findMax(series: readonly LineSeries[]): number | null {
  const values = series
    .flatMap((line) => [...line.values, ...(line.range?.high ?? [])])
    .filter((value) => value !== null)
  return values.length === 0 ? null : values.reduce((max, value) => Math.max(max, value), 0)
}

/** "12", or "12 (8 to 17)" for an estimate. A dash stands for a missing value. */
export function formatLineValue(
  { values, range }: Pick<LineSeries, 'values' | 'range'>,
  index: number,
  format: (value: number) => string,
): string {
  const [value, low, high] = [values[index], range?.low[index], range?.high[index]]
  if (value == null) return '–'
  return low == null || high == null ? format(value) : `${format(value)} (${format(low)} to ${format(high)})`
}

export type LineStyle = 'solid' | 'dashed' | 'dotted' | 'bars'

/** With forced colours, each line gets its own dash pattern. */
export function chooseLineStyle(
  { isDashed = false, hasBars = false }: Pick<LineSeries, 'isDashed' | 'hasBars'>,
  index: number,
  hasForcedColours: boolean,
): LineStyle {
  if (hasBars) return 'bars'
  if (isDashed) return 'dashed'
  return (hasForcedColours && (['solid', 'dashed', 'dotted'] as const)[index]) || 'solid'
}
