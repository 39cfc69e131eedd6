/** What a line chart shows. Nothing here draws. */
export interface LineSeries {
  label: string
  /** null where there is nothing: the line has a gap. */
  values: readonly (number | null)[]
  /** Of tokens.css, for instance `--chart-1`. */
  colourVar: string
  /** Whether what lies below the line is tinted. */
  fill?: boolean
  isDashed?: boolean
}

/** From one place of the x axis to another: unix seconds, or positions where the axis has labels. */
export interface ShadedRange {
  from: number
  to: number
  /** Said beside the values: colour alone says nothing to many. */
  label: string
}

/** In pixels, as a canvas has it: a line, then a gap. */
export const dashes = { solid: [], dashed: [5, 5], dotted: [2, 4] }
export type Stroke = keyof typeof dashes

/** Where colours are few, lines are told apart by more. */
export function strokeOf({ isDashed = false }: Pick<LineSeries, 'isDashed'>, index: number, isPlain: boolean): Stroke {
  if (isDashed) return 'dashed'
  return (isPlain && (['solid', 'dashed', 'dotted'] as const)[index]) || 'solid'
}

const TIP_GAP = 12

/** Where a box beside a point begins, all in pixels: on its right if there is room, else on its left. */
export function placeTip(at: number, width: number, room: number): number {
  if (at + TIP_GAP + width <= room) return at + TIP_GAP
  const left = at - TIP_GAP - width
  return left >= 0 ? left : Math.max(0, room - width)
}

/** Unix seconds, or a label for each value. */
export type LineAxis = readonly number[] | readonly string[]

export const hasLabels = (x: LineAxis): x is readonly string[] => typeof x[0] === 'string'

/** Where a value stands on the x axis. */
export function placeOf(x: LineAxis, index: number): number {
  return hasLabels(x) ? index : (x[index] ?? 0)
}

/** Labels are as wide as the way to their neighbours; moments are as they are. */
export function edgesOf(x: LineAxis, { from, to }: ShadedRange): [number, number] {
  return hasLabels(x) ? [from - 0.5, to + 0.5] : [from, to]
}

/** What is said about a place: each thing once. A value between two moments stands for the time until the next one. */
export function notesAt(x: LineAxis, shaded: readonly ShadedRange[], index: number): string[] {
  const at = placeOf(x, index)
  const until = hasLabels(x) || index + 1 >= x.length ? at : placeOf(x, index + 1) - 1
  const found = shaded.filter(({ from, to }) => from <= until && to >= at)
  return [...new Set(found.map(({ label }) => label))]
}

/** Places of values without a neighbour: no line goes there, so they are drawn as points. Null where there are none. */
export function aloneIn(values: ArrayLike<number | null | undefined>): number[] | null {
  const isThere = (index: number) => values[index] != null
  const alone = Array.from(values, (_, index) => index).filter(
    (index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1),
  )
  return alone.length === 0 ? null : alone
}

/** From 0 to a little above the largest, so that a line never touches the rim. */
export function heightOf(most: number | null): [number, number] {
  return [0, most === null || most <= 0 ? 1 : most * 1.08]
}

/** Whole steps: there is no half visitor. */
export const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat()
