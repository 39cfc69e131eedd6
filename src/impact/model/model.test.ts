import { describe, expect, it } from 'vitest'
import { expectWithin } from '../../../tests/support/expect-within.ts'
import { createPrediction } from '../../../tests/support/predictions.ts'
import { createRandomSource } from '../../../tests/support/random-source.ts'
import { judgeVisitors, measureImpact, predictVisits, sumPredictions, type VisitPrediction } from './model.ts'
import { findCountRange } from './range.ts'
import { SLOTS_PER_DAY, SLOTS_PER_HOUR, SLOTS_PER_WEEK } from './visit-history.ts'

interface HistoryOptions {
  weeks: number
  /** Returns the mean visits of a slot. Hour 0 of the week begins on Monday at midnight. */
  rate: (hourOfWeek: number, slot: number) => number
  /** The slot at which the local clock jumps ahead by an hour. */
  jumpAt?: number
}

function createHistory({ weeks, rate, jumpAt = Number.POSITIVE_INFINITY }: HistoryOptions) {
  const random = createRandomSource(42)
  const slots = (weeks + 1) * SLOTS_PER_WEEK
  const hourOfWeek = Uint8Array.from({ length: slots }, (_, slot) => {
    const localSlot = slot + (slot >= jumpAt ? SLOTS_PER_HOUR : 0)
    return Math.floor((localSlot % SLOTS_PER_WEEK) / SLOTS_PER_HOUR)
  })
  const counts = Uint32Array.from(hourOfWeek, (hour, slot) => random.poisson(rate(hour, slot)))
  return { counts, excluded: new Uint8Array(slots), hourOfWeek }
}

const isDay = (hourOfWeek: number) => hourOfWeek % 24 >= 8 && hourOfWeek % 24 < 20
const noon = 12 * SLOTS_PER_HOUR

function predict(...args: Parameters<typeof predictVisits>): VisitPrediction {
  const prediction = predictVisits(...args)
  if (prediction === undefined) throw new Error('There is too little history for a prediction.')
  return prediction
}

describe('the prediction of visits', () => {
  it('follows the hour of the day', () => {
    const history = createHistory({ weeks: 8, rate: (hour) => (isDay(hour) ? 10 : 1) })
    const monday = 8 * SLOTS_PER_WEEK
    expectWithin(predict(history, monday + noon, monday + noon + 12).mean, 120, 4)
    expectWithin(predict(history, monday + 24, monday + 36).mean, 12, 1.5)
  })

  it('follows the weekday', () => {
    const history = createHistory({ weeks: 8, rate: (hour) => (hour >= 120 ? 2 : 10) })
    const saturday = 8 * SLOTS_PER_WEEK - 2 * SLOTS_PER_DAY + noon
    expectWithin(predict(history, saturday, saturday + 12).mean, 24, 4)
    expectWithin(predict(history, saturday - SLOTS_PER_DAY, saturday - SLOTS_PER_DAY + 12).mean, 120, 9)
  })

  it('counts fractions of slots at both ends of the period', () => {
    const history = createHistory({ weeks: 8, rate: () => 40 })
    const from = 8 * SLOTS_PER_WEEK + noon
    const { mean } = predict(history, from + 0.5, from + 2.25)
    expect(mean).toBeGreaterThan(65)
    expect(mean).toBeLessThan(75)
    expectWithin(predict(history, from + 0.2, from + 0.4).mean, 8, 0.9)
  })

  it('ignores visits at or after the beginning of the incident', () => {
    const history = createHistory({ weeks: 8, rate: (hour) => (isDay(hour) ? 10 : 1) })
    const from = 8 * SLOTS_PER_WEEK + noon + 0.7
    const predictionBefore = predict(history, from, from + 30)
    history.counts.fill(9999, Math.floor(from))
    expect(predict(history, from, from + 30)).toEqual(predictionBefore)
  })

  it('ignores excluded slots', () => {
    const history = createHistory({ weeks: 8, rate: (hour) => (isDay(hour) ? 10 : 1) })
    const from = 8 * SLOTS_PER_WEEK + noon
    for (const gapStart of [from - 24, from - SLOTS_PER_WEEK - 40, from - 5 * SLOTS_PER_WEEK])
      history.excluded.fill(1, gapStart, gapStart + 24)
    const predictionBefore = predict(history, from, from + 12)
    for (const [slot, isExcluded] of history.excluded.entries()) if (isExcluded) history.counts[slot] = 500
    expect(predict(history, from, from + 12)).toEqual(predictionBefore)
    expectWithin(predictionBefore.mean, 120, 9)
  })

  it('follows local hours when clocks change', () => {
    const lastSunday = 7 * SLOTS_PER_WEEK + 6 * SLOTS_PER_DAY + 24
    const history = createHistory({ weeks: 8, rate: (hour) => (isDay(hour) ? 10 : 1), jumpAt: lastSunday })
    // Monday, 8:00 local time. Since the clocks jumped ahead, that is only 7 hours after the end of the eighth week.
    const eight = 8 * SLOTS_PER_WEEK + 7 * SLOTS_PER_HOUR
    expect(history.hourOfWeek[eight]).toBe(8)
    expectWithin(predict(history, eight + 6, eight + 18).mean, 120, 15)
    expectWithin(predict(history, eight - 30, eight - 18).mean, 12, 4)
  })

  it('follows the growth of visits', () => {
    const history = createHistory({ weeks: 8, rate: (_, slot) => 5 * 1.1 ** (slot / SLOTS_PER_WEEK) })
    const from = 8 * SLOTS_PER_WEEK + noon
    const { low, high } = predict(history, from, from + 24)
    const visits = 24 * 5 * 1.1 ** 8
    expect(low).toBeLessThan(visits)
    expect(high).toBeGreaterThan(visits)
  })

  it('lowers the level on a quiet day', () => {
    const quietDay = 8 * SLOTS_PER_WEEK
    const history = createHistory({ weeks: 8, rate: (_, slot) => (slot >= quietDay ? 4 : 10) })
    const { mean } = predict(history, quietDay + noon, quietDay + noon + 12)
    expect(mean).toBeLessThan(100)
  })

  it('has a range that contains the old and the new level hours after a step, and only follows the new level days later', () => {
    const step = 8 * SLOTS_PER_WEEK
    for (const factor of [0.6, 2]) {
      const history = createHistory({ weeks: 8, rate: (_, slot) => (slot >= step ? 10 * factor : 10) })
      const from = step + 3 * SLOTS_PER_HOUR
      const { low, high } = predict(history, from, from + 24)
      expect(low).toBeLessThanOrEqual(240 * Math.min(1, factor))
      expect(high).toBeGreaterThanOrEqual(240 * Math.max(1, factor))
      const laterPrediction = predict(history, from + 6 * SLOTS_PER_DAY, from + 6 * SLOTS_PER_DAY + 24)
      expectWithin(laterPrediction.mean, 240 * factor, 23 * factor)
      expect(laterPrediction.high - laterPrediction.low).toBeLessThan((high - low) / 2)
    }
  })

  it('follows the low level of a website nine days after its closure', () => {
    const closure = 8 * SLOTS_PER_WEEK
    const history = createHistory({ weeks: 10, rate: (_, slot) => (slot >= closure ? 0.5 : 20) })
    const from = closure + 9 * SLOTS_PER_DAY
    const { low, mean, high } = predict(history, from, from + 24)
    expectWithin(mean, 12, 4)
    expect([low < 12, high > 12, high < 30]).toEqual([true, true, true])
  })

  it('has a range that contains the fading of a viral spike', () => {
    const start = 8 * SLOTS_PER_WEEK + noon
    const spike = (slot: number) => (slot < start ? 1 : 1 + 9 * Math.exp((start - slot) / (8 * SLOTS_PER_HOUR)))
    const history = createHistory({ weeks: 8, rate: (_, slot) => 5 * spike(slot) })
    const from = start + 3 * SLOTS_PER_HOUR
    const visits = Array.from({ length: 36 }, (_, slot) => 5 * spike(from + slot)).reduce((sum, rate) => sum + rate, 0)
    const { low, high, isUnusual } = predict(history, from, from + 36)
    expect([low < visits, high > visits, isUnusual]).toEqual([true, true, false])
  })

  it('has a range that contains a fall that may still be chance, and does not widen upwards', () => {
    const start = 8 * SLOTS_PER_WEEK + noon
    const evenHistory = createHistory({ weeks: 9, rate: () => 5 })
    const fallenHistory = createHistory({ weeks: 9, rate: (_, slot) => (slot >= start ? 4 : 5) })
    const from = start + 4
    const [usual, lower] = [predict(evenHistory, from, from + 48), predict(fallenHistory, from, from + 48)]
    expect(lower.possibleFall).toBeGreaterThan(usual.possibleFall)
    expect(lower.low / lower.mean).toBeLessThan(usual.low / usual.mean)
    expect(lower.high).toBeLessThanOrEqual(usual.high)
  })

  it('is marked as unusual while visits rise steeply, but not an hour later', () => {
    const start = 8 * SLOTS_PER_WEEK + noon
    const history = createHistory({ weeks: 9, rate: (_, slot) => (slot >= start ? 20 : 5) })
    expect(predict(history, start + 2, start + 14).isUnusual).toBe(true)
    expect(predict(history, start + SLOTS_PER_HOUR, start + 2 * SLOTS_PER_HOUR).isUnusual).toBe(false)
  })

  it('is marked as unusual after a change by more than a factor of 100', () => {
    const history = createHistory({ weeks: 8, rate: (_, slot) => (slot >= 8 * SLOTS_PER_WEEK ? 0.1 : 40) })
    const from = 8 * SLOTS_PER_WEEK + noon
    expect(predict(history, from, from + 12).isUnusual).toBe(true)
  })

  it('is not widened by the ups and downs that are usual for a website', () => {
    const isBusy = (slot: number) => Math.floor(slot / 36) % 3 === 0
    const history = createHistory({ weeks: 8, rate: (_, slot) => (isBusy(slot) ? 25 : 5) })
    const from = 8 * SLOTS_PER_WEEK + noon
    const { levelVariance, dispersion } = predict(history, from, from + 24)
    expect(levelVariance).toBeLessThan(dispersion / 2)
  })

  it('becomes less certain for a website whose days differ', () => {
    const evenHistory = createHistory({ weeks: 8, rate: () => 10 })
    const unevenHistory = createHistory({ weeks: 8, rate: (_, slot) => (Math.floor(slot / 36) % 3 === 0 ? 25 : 5) })
    const from = 8 * SLOTS_PER_WEEK + noon
    const widthOf = ({ low, high, mean }: VisitPrediction) => (high - low) / mean
    expect(widthOf(predict(unevenHistory, from, from + 24))).toBeGreaterThan(
      3 * widthOf(predict(evenHistory, from, from + 24)),
    )
  })

  it('can cover several days', () => {
    const history = createHistory({ weeks: 8, rate: (hour) => (isDay(hour) ? 10 : 1) })
    const from = 8 * SLOTS_PER_WEEK + noon
    const { low, mean, high } = predict(history, from, from + 4 * SLOTS_PER_DAY)
    const visits = 4 * 12 * SLOTS_PER_HOUR * 11
    expectWithin(mean, visits, 0.049 * visits)
    expect(low).toBeLessThan(visits)
    expect(high).toBeGreaterThan(visits)
  })

  it('works for a website that began three weeks ago', () => {
    const history = createHistory({ weeks: 3, rate: (hour) => (isDay(hour) ? 10 : 1) })
    const from = 3 * SLOTS_PER_WEEK + noon
    expectWithin(predict(history, from, from + 12).mean, 120, 9)
  })

  it('expects no visits to a website without visits', () => {
    const history = createHistory({ weeks: 8, rate: () => 0 })
    const from = 8 * SLOTS_PER_WEEK
    expect(predict(history, from, from + 288)).toMatchObject({ expected: 0, low: 0, high: 0, isUnusual: false })
  })

  it('needs two weeks of slots that are not excluded', () => {
    const history = createHistory({ weeks: 3, rate: () => 10 })
    const from = 2 * SLOTS_PER_WEEK
    expect(predictVisits(history, from - 1, from + 12)).toBeUndefined()
    expect(predictVisits(history, from, from + 12)).toBeDefined()
    history.excluded[100] = 1
    expect(predictVisits(history, from, from + 12)).toBeUndefined()
    expect(predictVisits(history, 0.5, 12)).toBeUndefined()
  })
})

describe('the impact of an incident', () => {
  const prediction = createPrediction({ mean: 139.6, dispersion: 0.02, low: 98, high: 190 })

  it('is the difference between the expected and the actual visits', () => {
    expect(measureImpact(prediction, 3)).toEqual({
      visits_expected: 140,
      visits_low: 98,
      visits_high: 190,
      visits_seen: 3,
      visits_missed: 137,
      visits_missed_low: 95,
      visits_missed_high: 187,
      confidence: 0.9,
      basis: 'profile',
    })
  })

  it('is never below 0', () => {
    const impact = measureImpact(prediction, 150)
    expect(impact).toMatchObject({ visits_missed: 0, visits_missed_low: 0, visits_missed_high: 40 })
    expect(measureImpact(prediction, 500)).toMatchObject({ visits_missed_high: 0 })
  })

  it('has no estimate if the upper bound is below 5', () => {
    const impact = measureImpact(createPrediction({ mean: 1.2, dispersion: 0, low: 0, high: 4 }), 1)
    expect(impact).toMatchObject({ visits_expected: null, visits_seen: null, visits_missed: null, confidence: 0.9 })
    expect(impact.basis).toBe('too_little_traffic')
    expect(measureImpact(createPrediction({ mean: 2, dispersion: 0, low: 0, high: 5 }), 1).basis).toBe('profile')
  })

  it('has no estimate if traffic is too unusual', () => {
    expect(measureImpact({ ...prediction, isUnusual: true }, 3)).toMatchObject({
      visits_missed: null,
      basis: 'unusual_traffic',
    })
  })

  it('has no estimate without enough history', () => {
    expect(measureImpact(undefined, 3)).toMatchObject({ visits_missed_high: null, basis: 'too_little_history' })
  })
})

describe('the sum of predictions', () => {
  it('adds means and variances, and the distances of bounds as independent errors', () => {
    const one = createPrediction({ mean: 100, dispersion: 0.01, low: 70, high: 130 })
    const other = createPrediction({ mean: 50, dispersion: 0.02, low: 10, high: 90 })
    const sum = sumPredictions([one, other])
    expect(sum).toMatchObject({ mean: 150, expected: 150, low: 100, high: 200, isUnusual: false })
    // The variance of a prediction is mean + dispersion × mean²: here 100 + 100 and 50 + 50.
    expect(sum.mean + sum.dispersion * sum.mean ** 2).toBeCloseTo(300)
  })

  it('of one prediction is that prediction', () => {
    const prediction = createPrediction({ mean: 12.4, dispersion: 0.1, low: 6, high: 21 })
    expect(sumPredictions([prediction])).toEqual({ ...prediction, dispersion: expect.closeTo(0.1) })
  })

  it('is never negative', () => {
    const smallPrediction = createPrediction({ mean: 1.4, dispersion: 0.5, low: 0, high: 4 })
    expect(sumPredictions([smallPrediction, smallPrediction, smallPrediction]).low).toBeGreaterThanOrEqual(0)
    expect(sumPredictions([])).toEqual(createPrediction({ mean: 0, dispersion: 0, low: 0, high: 0 }))
  })
})

describe('visitors', () => {
  const predictRange = (mean: number, dispersion = 0.02) =>
    createPrediction({ mean, dispersion, ...findCountRange(mean, dispersion) })

  it('are gone if none of many expected visits began', () => {
    expect(judgeVisitors(predictRange(30), 0)).toBe('gone')
  })

  it('are gone although a few visits begin from caches', () => {
    expect(judgeVisitors(predictRange(100), 3)).toBe('gone')
  })

  it('arrive as usual if about as many visits began as expected', () => {
    expect(judgeVisitors(predictRange(12), 11)).toBe('normal')
    expect(judgeVisitors(predictRange(1000), 1040)).toBe('normal')
  })

  it('arrive as usual if more visits began than expected', () => {
    expect(judgeVisitors(predictRange(12), 60)).toBe('normal')
  })

  it.each([0, 1, 2, 3, 9])('are unknown if 2 visits were expected and %i began', (actual) => {
    expect(judgeVisitors(predictRange(2), actual)).toBe('unknown')
  })

  it.each([14, 20, 35, 50, 60])('are unknown if %i of 100 expected visits began', (actual) => {
    expect(judgeVisitors(predictRange(100), actual)).toBe('unknown')
  })

  it('are unknown if visits vary so much that the silence may be chance', () => {
    expect(judgeVisitors(predictRange(12, 2), 0)).toBe('unknown')
  })

  it('are unknown if traffic is too unusual', () => {
    expect(judgeVisitors({ ...predictRange(30), isUnusual: true }, 0)).toBe('unknown')
  })

  it('are unknown without a prediction, or if nothing is expected', () => {
    expect(judgeVisitors(undefined, 0)).toBe('unknown')
    expect(judgeVisitors(predictRange(0), 0)).toBe('unknown')
    expect(judgeVisitors(predictRange(0), 3)).toBe('unknown')
  })
})
