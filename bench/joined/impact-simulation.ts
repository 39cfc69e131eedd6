/** Predicts the visits of pseudo-outages, whose true visits are known, and compares the ranges with them. */
import { measureImpact, predictVisits } from '../../src/impact/model/model.ts'
import {
  SLOT_MINUTES,
  SLOTS_PER_DAY,
  SLOTS_PER_HOUR,
  SLOTS_PER_WEEK,
  type VisitHistory,
} from '../../src/impact/model/visit-history.ts'
import type { RandomSource } from '../../tests/support/random-source.ts'
import { type SimulatedTraffic, simulateTraffic, type TrafficShape } from './traffic-shapes.ts'

export interface ImpactRow {
  shape: TrafficShape
  outages: number
  /** Further outages, which have too little traffic for an estimate. */
  withTooLittleTraffic: number
  /** Further outages, whose traffic is too unusual for an estimate. */
  unusual: number
  /** Shares of the outages whose true visits were in the range, below it and above it. */
  covered: number
  below: number
  above: number
  pinballLoss: number
  /** The results of a simple rule for comparison: as many visits as in the same hour of last week, with the range of a Poisson distribution. */
  naiveCovered: number
  naivePinballLoss: number
  cpuMsPerPrediction: number
}

export interface PseudoOutage {
  history: VisitHistory
  from: number
  to: number
  /** Visits that would have begun during the outage. */
  visits: number
  visitsAWeekBefore: number
}

const TRAFFIC_WEEKS = 11
/** The history begins 3 to 10 weeks before the outage. */
const MIN_HISTORY_WEEKS = 3
const MAX_HISTORY_WEEKS = 10
const OUTAGES_PER_WEBSITE = 5
const MIN_OUTAGE_SLOTS = 2 / SLOT_MINUTES
const MAX_OUTAGE_SLOTS = SLOTS_PER_DAY
/** How many earlier outages a history has on average. Each lasts up to 6 hours, and its time is excluded. */
const MEAN_EARLIER_OUTAGES = 3
const MAX_EARLIER_SLOTS = 6 * SLOTS_PER_HOUR
const NORMAL_QUANTILE_95 = 1.6449

export function simulateImpact(shape: TrafficShape, random: RandomSource, outages: number): ImpactRow {
  const sums = { covered: 0, below: 0, above: 0, pinballLoss: 0, naiveCovered: 0, naivePinballLoss: 0 }
  let predictedCount = 0
  let withTooLittleTraffic = 0
  let unusual = 0
  let cpuMs = 0
  for (const { history, from, to, visits, visitsAWeekBefore } of createPseudoOutages(shape, random)) {
    const cpuBefore = process.cpuUsage()
    const prediction = predictVisits(history, from, to)
    const { user, system } = process.cpuUsage(cpuBefore)
    cpuMs += (user + system) / 1000
    const { basis } = measureImpact(prediction, 0)
    if (prediction === undefined || basis !== 'profile') {
      if (basis === 'unusual_traffic') unusual++
      else withTooLittleTraffic++
      continue
    }
    const { low, expected, high } = prediction
    const naiveSpread = NORMAL_QUANTILE_95 * Math.sqrt(visitsAWeekBefore)
    const naiveLow = Math.max(0, Math.round(visitsAWeekBefore - naiveSpread))
    const naiveHigh = Math.round(visitsAWeekBefore + naiveSpread)
    predictedCount++
    if (visits < low) sums.below++
    else if (visits > high) sums.above++
    else sums.covered++
    if (visits >= naiveLow && visits <= naiveHigh) sums.naiveCovered++
    sums.pinballLoss += measurePinballLoss(low, expected, high, visits)
    sums.naivePinballLoss += measurePinballLoss(naiveLow, visitsAWeekBefore, naiveHigh, visits)
    if (predictedCount === outages) break
  }
  return {
    shape,
    outages,
    withTooLittleTraffic,
    unusual,
    covered: sums.covered / outages,
    below: sums.below / outages,
    above: sums.above / outages,
    pinballLoss: sums.pinballLoss / outages,
    naiveCovered: sums.naiveCovered / outages,
    naivePinballLoss: sums.naivePinballLoss / outages,
    cpuMsPerPrediction: cpuMs / (predictedCount + withTooLittleTraffic + unusual),
  }
}

/**
 * Generates outages without end. The history of a website begins 3 to 10 weeks before the outage, which lasts 2 minutes
 * to a day.
 */
export function* createPseudoOutages(shape: TrafficShape, random: RandomSource): Generator<PseudoOutage, never> {
  for (;;) {
    const traffic = simulateTraffic(shape, random, TRAFFIC_WEEKS)
    for (let outage = 0; outage < OUTAGES_PER_WEBSITE; outage++) {
      const slots = MIN_OUTAGE_SLOTS * (MAX_OUTAGE_SLOTS / MIN_OUTAGE_SLOTS) ** random.uniform()
      const to = TRAFFIC_WEEKS * SLOTS_PER_WEEK - random.uniform() * 2 * SLOTS_PER_WEEK
      const weeks = MIN_HISTORY_WEEKS + (MAX_HISTORY_WEEKS - MIN_HISTORY_WEEKS) * random.uniform()
      const start = Math.max(0, Math.floor(to - slots - weeks * SLOTS_PER_WEEK))
      yield createPseudoOutage(traffic, random, { historyStart: start, from: to - slots, to })
    }
  }
}

export function createPseudoOutage(
  traffic: SimulatedTraffic,
  random: RandomSource,
  { historyStart: start, from, to }: { historyStart: number; from: number; to: number },
): PseudoOutage {
  const counts = traffic.counts.slice(start)
  const excluded = new Uint8Array(counts.length)
  // The counts of the outage are replaced. If the model read them by mistake, its predictions would be far off.
  counts.fill(1_000_000, Math.ceil(from) - start)
  const earlierOutageCount = random.poisson(MEAN_EARLIER_OUTAGES)
  for (let outage = 0; outage < earlierOutageCount; outage++) {
    const first = Math.floor(random.uniform() * (from - start))
    const last = Math.min(Math.floor(from) - start, first + Math.ceil(MAX_EARLIER_SLOTS * random.uniform()))
    counts.fill(0, first, last)
    excluded.fill(1, first, last)
  }
  return {
    history: { counts, excluded, hourOfWeek: traffic.hourOfWeek.subarray(start) },
    from: from - start,
    to: to - start,
    visits: drawVisitsBetween(traffic.counts, from, to, random),
    visitsAWeekBefore: drawVisitsBetween(traffic.counts, from - SLOTS_PER_WEEK, to - SLOTS_PER_WEEK, random),
  }
}

/** Visits are spread uniformly over their slot. If only a share of a slot is in the range, each of its visits is in it with that probability. */
function drawVisitsBetween(counts: Uint32Array, from: number, to: number, random: RandomSource): number {
  let visits = 0
  for (let slot = Math.floor(from); slot < to; slot++) {
    const share = Math.min(to, slot + 1) - Math.max(from, slot)
    const count = counts[slot] ?? 0
    if (share >= 1) visits += count
    else for (let visit = 0; visit < count; visit++) if (random.uniform() < share) visits++
  }
  return visits
}

/**
 * Returns the mean loss of the 5 %, 50 % and 95 % quantiles. The true quantiles have the lowest loss on average, so a
 * range that is too wide has a higher loss, and so has one that is too narrow.
 */
export function measurePinballLoss(low: number, middle: number, high: number, value: number): number {
  const measureLoss = (quantile: number, share: number) =>
    value >= quantile ? share * (value - quantile) : (1 - share) * (quantile - value)
  return (measureLoss(low, 0.05) + measureLoss(middle, 0.5) + measureLoss(high, 0.95)) / 3
}
