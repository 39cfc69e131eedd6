/** Predicts the visits of pseudo-outages, whose true visits are known, and compares the ranges with them. */
import { predictVisits } from '../../src/impact/model.ts'
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK, type VisitHistory } from '../../src/impact/visit-history.ts'
import type { RandomSource } from './random.ts'
import { type SimulatedTraffic, simulateTraffic, type TrafficShape } from './traffic-shapes.ts'

export interface ImpactRow {
  shape: TrafficShape
  outages: number
  /** Outages for which there was too little traffic to say anything. */
  unanswered: number
  coverage: number
  below: number
  above: number
  pinballLoss: number
  naivePinballLoss: number
  naiveCoverage: number
  meanRangeRatio: number
}

const MAX_WEEKS = 10
const MIN_WEEKS = 3
const OUTAGES_PER_WEBSITE = 5
const MIN_ANSWER = 5
const MIN_LENGTH_SLOTS = 2 / 5
const NORMAL_95 = 1.6449

export interface PseudoOutage {
  history: VisitHistory
  from: number
  to: number
  /** Visits that began in the time of the outage, as if there had been none. */
  visits: number
  visitsLastWeek: number
}

export function simulateImpact(shape: TrafficShape, random: RandomSource, outages: number): ImpactRow {
  const row = {
    shape,
    outages: 0,
    unanswered: 0,
    coverage: 0,
    below: 0,
    above: 0,
    pinballLoss: 0,
    naivePinballLoss: 0,
    naiveCoverage: 0,
    meanRangeRatio: 0,
  }
  for (const outage of createPseudoOutages(shape, random)) {
    const prediction = predictVisits(outage.history, outage.from, outage.to)
    if (prediction === undefined) throw new Error('Three weeks of history are enough for a prediction.')
    if (prediction.high < MIN_ANSWER) {
      row.unanswered++
      continue
    }
    const { low, expected, high } = prediction
    const { visits, visitsLastWeek: naive } = outage
    const naiveLow = Math.max(0, Math.round(naive - NORMAL_95 * Math.sqrt(naive)))
    const naiveHigh = Math.round(naive + NORMAL_95 * Math.sqrt(naive))
    row.outages++
    row.coverage += visits >= low && visits <= high ? 1 : 0
    row.below += visits < low ? 1 : 0
    row.above += visits > high ? 1 : 0
    row.pinballLoss += measurePinballLoss(low, expected, high, visits)
    row.naivePinballLoss += measurePinballLoss(naiveLow, naive, naiveHigh, visits)
    row.naiveCoverage += visits >= naiveLow && visits <= naiveHigh ? 1 : 0
    if (row.outages === outages) break
  }
  const share = (sum: number) => sum / row.outages
  return {
    ...row,
    coverage: share(row.coverage),
    below: share(row.below),
    above: share(row.above),
    pinballLoss: share(row.pinballLoss),
    naivePinballLoss: share(row.naivePinballLoss),
    naiveCoverage: share(row.naiveCoverage),
  }
}

/** Endless. Websites began 3 to 10 weeks ago, and had other outages before, whose time is excluded. */
export function* createPseudoOutages(shape: TrafficShape, random: RandomSource): Generator<PseudoOutage> {
  for (;;) {
    const traffic = simulateTraffic(shape, random, MAX_WEEKS + 1)
    for (let outage = 0; outage < OUTAGES_PER_WEBSITE; outage++) {
      const length = MIN_LENGTH_SLOTS * (SLOTS_PER_DAY / MIN_LENGTH_SLOTS) ** random.uniform()
      const weeks = MIN_WEEKS + (MAX_WEEKS - MIN_WEEKS) * random.uniform()
      const from = MAX_WEEKS * SLOTS_PER_WEEK - random.uniform() * 2 * SLOTS_PER_WEEK + SLOTS_PER_WEEK - SLOTS_PER_DAY
      yield createPseudoOutage(
        traffic,
        random,
        Math.max(0, Math.floor(from - weeks * SLOTS_PER_WEEK)),
        from,
        from + length,
      )
    }
  }
}

function createPseudoOutage(
  traffic: SimulatedTraffic,
  random: RandomSource,
  start: number,
  from: number,
  to: number,
): PseudoOutage {
  const counts = traffic.counts.slice(start)
  const excluded = new Uint8Array(counts.length)
  // What happens from the outage on must not matter.
  counts.fill(1_000_000, Math.ceil(from - start))
  const earlierOutages = random.poisson(3)
  for (let outage = 0; outage < earlierOutages; outage++) {
    const first = Math.floor(random.uniform() * (from - start))
    const last = Math.min(Math.floor(from - start), first + Math.ceil(6 * SLOTS_PER_HOUR * random.uniform()))
    counts.fill(0, first, last)
    excluded.fill(1, first, last)
  }
  return {
    history: { counts, excluded, hourOfWeek: traffic.hourOfWeek.subarray(start) },
    from: from - start,
    to: to - start,
    visits: countVisits(traffic.counts, from, to, random),
    visitsLastWeek: countVisits(traffic.counts, from - SLOTS_PER_WEEK, to - SLOTS_PER_WEEK, random),
  }
}

/** Visits are uniform within a slot, so each of a partly covered slot is inside with that probability. */
export function countVisits(counts: Uint32Array, from: number, to: number, random: RandomSource): number {
  let visits = 0
  for (let slot = Math.floor(from); slot < to; slot++) {
    const share = Math.min(to, slot + 1) - Math.max(from, slot)
    const count = counts[slot] ?? 0
    if (share >= 1) visits += count
    else for (let visit = 0; visit < count; visit++) if (random.uniform() < share) visits++
  }
  return visits
}

/** The mean loss of the 5 %, 50 % and 95 % quantiles: it is lowest for the true ones, so that a range can't win by being wide. */
function measurePinballLoss(low: number, middle: number, high: number, value: number): number {
  const loss = (quantile: number, share: number) =>
    value >= quantile ? share * (value - quantile) : (1 - share) * (quantile - value)
  return (loss(low, 0.05) + loss(middle, 0.5) + loss(high, 0.95)) / 3
}
