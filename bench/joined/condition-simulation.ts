/** Predicts the visits of simulated outages under unusual conditions. */
import { measureImpact, predictVisits } from '../../src/impact/model/model.ts'
import { SLOT_MINUTES, SLOTS_PER_DAY, SLOTS_PER_WEEK } from '../../src/impact/model/visit-history.ts'
import type { RandomSource } from '../../tests/support/random-source.ts'
import { createPseudoOutage, measurePinballLoss } from './impact-simulation.ts'
import type { ConditionWindow, TrafficCondition } from './traffic-conditions.ts'
import { simulateTraffic } from './traffic-shapes.ts'

export interface ConditionRow {
  condition: string
  window: ConditionWindow
  /** Outages with enough traffic for an estimate. */
  outages: number
  /**
   * Shares of these outages, which add up to 1: the true visits are in the range, there is no number
   * (`unusual_traffic`), or the true visits are outside of the range.
   */
  inRange: number
  withoutNumber: number
  wrong: number
  /** Shares of the outages whose true visits are below and above the range. Together they are `wrong`. */
  below: number
  above: number
  /** The expected visits of all outages with an estimate, divided by the true ones. */
  ratio: number
  pinballLoss: number
}

const TRAFFIC_WEEKS = 13
const MIN_START_WEEK = 9
const OUTAGES_PER_WEBSITE = 3
const MIN_OUTAGE_SLOTS = 2 / SLOT_MINUTES

export function simulateCondition(condition: TrafficCondition, random: RandomSource, outages: number): ConditionRow[] {
  return condition.windows.map((window) => {
    const sums = { answered: 0, covered: 0, below: 0, above: 0, expected: 0, visits: 0, pinballLoss: 0 }
    let outageCount = 0
    for (let website = 0; outageCount < outages && website < 20 * outages; website++) {
      const { traffic, start } = simulateWebsite(condition, random, website)
      for (let outage = 0; outage < OUTAGES_PER_WEBSITE && outageCount < outages; outage++) {
        const slots = MIN_OUTAGE_SLOTS * (SLOTS_PER_DAY / MIN_OUTAGE_SLOTS) ** random.uniform()
        const from = start + (window.from + (window.to - window.from) * random.uniform()) * SLOTS_PER_DAY
        const historyWeeks = 3 + 6 * random.uniform()
        const historyStart = Math.max(0, Math.floor(from - historyWeeks * SLOTS_PER_WEEK))
        const outage = createPseudoOutage(traffic, random, { historyStart, from, to: from + slots })
        const { history, visits, ...period } = outage
        const prediction = predictVisits(history, period.from, period.to)
        const { basis } = measureImpact(prediction, 0)
        if (prediction === undefined || basis.startsWith('too_little')) continue
        outageCount++
        if (basis !== 'profile') continue
        const { low, expected, high } = prediction
        sums.answered++
        sums.expected += expected
        sums.visits += visits
        if (visits < low) sums.below++
        else if (visits > high) sums.above++
        else sums.covered++
        sums.pinballLoss += measurePinballLoss(low, expected, high, visits)
      }
    }
    const { answered: predictedCount, covered, below, above } = sums
    const shareOf = (count: number) => count / outageCount
    return {
      condition: condition.name,
      window,
      outages: outageCount,
      inRange: shareOf(covered),
      withoutNumber: shareOf(outageCount - predictedCount),
      wrong: shareOf(below + above),
      below: shareOf(below),
      above: shareOf(above),
      ratio: sums.expected / sums.visits,
      pinballLoss: sums.pinballLoss / predictedCount,
    }
  })
}

export function simulateWebsite(condition: TrafficCondition, random: RandomSource, website: number) {
  const shape = condition.shapes[website % condition.shapes.length] ?? 'steady'
  let start = 0
  const traffic = simulateTraffic(shape, random, TRAFFIC_WEEKS, (localSlots) => {
    const course = condition.draw(random)
    start = findStart(condition, localSlots, random)
    const earlierDays = new Set<number>()
    const count = condition.meanEarlierDays === undefined ? 0 : random.poisson(condition.meanEarlierDays)
    const firstDay = Math.floor((localSlots[0] ?? 0) / SLOTS_PER_DAY)
    const startDay = Math.floor((localSlots[start] ?? 0) / SLOTS_PER_DAY)
    while (earlierDays.size < count) {
      const day = firstDay + Math.floor(random.uniform() * (startDay - firstDay))
      if (day % 7 < 5) earlierDays.add(day)
    }
    return (slot, localSlot) => {
      const isEarlierDay = earlierDays.has(Math.floor(localSlot / SLOTS_PER_DAY))
      return isEarlierDay ? course(localSlot % SLOTS_PER_DAY, localSlot) : course(slot - start, localSlot)
    }
  })
  return { traffic, start }
}

function findStart(condition: TrafficCondition, localSlots: Uint32Array, random: RandomSource): number {
  for (;;) {
    let start = Math.floor((MIN_START_WEEK + 0.99 * random.uniform()) * SLOTS_PER_WEEK)
    if (!condition.startsAtMidnight) return start
    while ((localSlots[start] ?? 0) % SLOTS_PER_DAY !== 0) start++
    const weekday = Math.floor((localSlots[start] ?? 0) / SLOTS_PER_DAY) % 7
    if (!condition.startsOnWorkday || weekday < 5) return start
  }
}
