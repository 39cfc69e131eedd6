/**
 * How surprising the gaps without visits of a website get. A gap's surprise is −ln of its probability in the model of
 * the level. If the model were right, surprises would be exponentially distributed with mean 1. The website's own past
 * says how much larger they get: the part of a surprise above `SURPRISE_THRESHOLD` follows a generalized Pareto
 * distribution. Its scale and shape are uncertain. Their prior is near 1 and 0, which is the exponential distribution.
 */
export const SURPRISE_THRESHOLD = 3
/** The table of the tail ends at this surprise, and has an entry every `TABLE_STEP`. */
const MAX_SURPRISE = 45
const TABLE_STEP = 0.5
/** The width of the bins in which surprises are counted for the fit. */
const BIN_WIDTH = 0.1

/** ln of how many gaps a year exceed a surprise of 3, 3.5, 4, …, 45. */
export type SilenceTail = number[]

const scales = [0.9, 1, 1.1, 1.25, 1.45, 1.7, 2.1, 2.6]
const shapes = [0, 0.03, 0.08, 0.15, 0.25]
/**
 * The priors: the standard deviation of ln(scale), and the mean of the shape. Both are small, because most websites are
 * close to the model.
 */
const PRIOR_SCALE_SPREAD = 0.1
const PRIOR_SHAPE = 0.012
/**
 * The share of gaps above the threshold is computed as if there had been this many further gaps, distributed as in the
 * model. This keeps a website with few gaps near the model.
 */
const PRIOR_GAPS = 200

interface TailPart {
  scale: number
  shape: number
}
/** Pairs of scale and shape with a smaller weight are left out, because they hardly change the limit. */
const MIN_WEIGHT = 1e-5
const parts: TailPart[] = scales.flatMap((scale) => shapes.map((shape) => ({ scale, shape })))

export function fitTail(surprises: readonly number[], gaps: number, gapsAYear: number): SilenceTail {
  const passingShare = (surprises.length + PRIOR_GAPS * Math.exp(-SURPRISE_THRESHOLD)) / (gaps + PRIOR_GAPS)
  const weightedParts = weighParts(countBins(surprises))
  const table: SilenceTail = []
  for (let surprise = SURPRISE_THRESHOLD; surprise <= MAX_SURPRISE; surprise += TABLE_STEP) {
    const excess = surprise - SURPRISE_THRESHOLD
    let share = 0
    for (const { part, weight } of weightedParts) share += weight * Math.exp(-findCumulativeHazard(excess, part))
    table.push(Number(Math.log(gapsAYear * passingShare * share).toFixed(3)))
  }
  return table
}

/** Counts surprises in bins, because fitting thousands of them one by one would take long. */
function countBins(surprises: readonly number[]): Map<number, number> {
  const bins = new Map<number, number>()
  for (const surprise of surprises) {
    const bin = Math.floor(Math.min(MAX_SURPRISE, surprise) / BIN_WIDTH)
    bins.set(bin, (bins.get(bin) ?? 0) + 1)
  }
  return bins
}

function weighParts(bins: Map<number, number>): { part: TailPart; weight: number }[] {
  const logWeights = parts.map((part) => {
    let logWeight = -0.5 * (Math.log(part.scale) / PRIOR_SCALE_SPREAD) ** 2 - part.shape / PRIOR_SHAPE
    for (const [bin, count] of bins) {
      const excess = Math.max(0, (bin + 0.5) * BIN_WIDTH - SURPRISE_THRESHOLD)
      const logHazard = -Math.log(part.scale) - Math.log1p((part.shape * excess) / part.scale)
      logWeight += count * (logHazard - findCumulativeHazard(excess, part))
    }
    return logWeight
  })
  const max = Math.max(...logWeights)
  const weights = logWeights.map((logWeight) => Math.exp(logWeight - max))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return parts
    .map((part, index) => ({ part, weight: (weights[index] ?? 0) / sum }))
    .filter(({ weight }) => weight > MIN_WEIGHT)
}

/** Returns −ln of the probability that a value of the generalized Pareto distribution exceeds `excess`. */
function findCumulativeHazard(excess: number, { scale, shape }: TailPart): number {
  return shape === 0 ? excess / scale : Math.log1p((shape * excess) / scale) / shape
}

/**
 * Returns the surprise that `alarmsAYear` gaps a year exceed. It is at least the surprise that this many gaps would
 * exceed if the model were right.
 */
export function findLimit(tail: SilenceTail, gapsAYear: number, alarmsAYear: number): number {
  const target = Math.log(alarmsAYear)
  let index = 1
  while (index < tail.length - 1 && (tail[index] as number) > target) index++
  const before = tail[index - 1] as number
  const after = tail[index] as number
  const share = (before - target) / (before - after)
  const limit = SURPRISE_THRESHOLD + (index - 1 + share) * TABLE_STEP
  return Math.max(limit, Math.log(Math.max(1, gapsAYear)) - target)
}
