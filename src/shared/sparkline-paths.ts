/** The paths of a small line chart. */

/** The size of the drawing in SVG units. The page stretches the drawing to the width of its column. */
export const SPARKLINE_WIDTH = 120
export const SPARKLINE_HEIGHT = 28
const PADDING = 2
/** Two values are a difference, and three are the beginning of a trend. With fewer values, lists show a placeholder. */
export const MIN_SPARKLINE_POINTS = 3

const round = (value: number) => Math.round(value * 10) / 10

export interface SparklinePaths {
  line: string
  area: string
  /** The segment to the last point, if the day of that point isn't over. Otherwise empty. */
  partialLine: string
}

/** The scale starts at 0. A value of null leaves a gap in the line. */
export function buildSparklinePaths(values: readonly (number | null)[], isLastPartial = false): SparklinePaths {
  const max = Math.max(1, ...values.map((value) => value ?? 0))
  const step = SPARKLINE_WIDTH / Math.max(1, values.length - 1)
  const toY = (value: number) => round(SPARKLINE_HEIGHT - PADDING - (value / max) * (SPARKLINE_HEIGHT - 2 * PADDING))
  const paths = { line: '', area: '', partialLine: '' }
  let points: [number, number][] = []
  const finishPart = () => {
    const [first, last] = [points[0], points.at(-1)]
    if (first === undefined || last === undefined) return
    // A single point between two gaps would be invisible, so it becomes a short line. At the right edge, the line
    // leads to the point instead of starting there.
    if (points.length === 1) {
      const isAtEdge = first[0] === SPARKLINE_WIDTH
      points = isAtEdge
        ? [[round(first[0] - step / 2), first[1]], first]
        : [first, [round(first[0] + step / 2), first[1]]]
    }
    if (isLastPartial && points.length > 2 && last[0] === SPARKLINE_WIDTH) {
      const beforeLast = points.at(-2) as [number, number]
      paths.partialLine = `M${beforeLast[0]} ${beforeLast[1]}L${last[0]} ${last[1]}`
      points.pop()
    }
    const part = `M${points.map(([x, y]) => `${x} ${y}`).join('L')}`
    paths.line += part
    paths.area += `${part}L${points.at(-1)?.[0]} ${SPARKLINE_HEIGHT}L${points[0]?.[0]} ${SPARKLINE_HEIGHT}Z`
    points = []
  }
  for (const [index, value] of values.entries()) {
    if (value === null) finishPart()
    else points.push([round(index * step), toY(value)])
  }
  finishPart()
  return paths
}
