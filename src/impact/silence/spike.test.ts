import { expect, test } from 'vitest'
import { SLOTS_PER_DAY, SLOTS_PER_WEEK, type VisitHistory } from '../model/visit-history.ts'
import { fitSilence } from './silence.ts'
import { detectSpike } from './spike.ts'

const end = 9 * SLOTS_PER_WEEK

/** Creates nine weeks with `visits` visits in every slot. The fit uses the first eight weeks. */
function makeTraffic(visits: number) {
  const counts = new Uint32Array(end).fill(visits)
  const hourOfWeek = Uint8Array.from(counts, (_, slot) => Math.floor(slot / 12) % 168)
  const history = { counts, excluded: new Uint8Array(end), hourOfWeek } satisfies VisitHistory
  const fit = fitSilence({ ...history, counts: counts.subarray(0, 8 * SLOTS_PER_WEEK) })
  if (!fit) throw new Error('There is no fit.')
  return { history, fit }
}

test('ten times the usual visits are a spike, which has the numbers of actual and expected visits', () => {
  const { history, fit } = makeTraffic(2)
  history.counts.fill(20, end - 12)
  const spike = detectSpike(fit, history, end)
  expect(spike?.actual).toBe(240)
  expect(spike?.expected).toBeCloseTo(24, 0)
  expect(spike?.factor).toBeCloseTo(10, 0)
})

test('usual visits are no spike', () => {
  const { history, fit } = makeTraffic(2)
  expect(detectSpike(fit, history, end)).toBeUndefined()
})

test('a spike is reported once a day', () => {
  const { history, fit } = makeTraffic(2)
  history.counts.fill(20, end - 12)
  expect(detectSpike(fit, history, end, end - SLOTS_PER_DAY + 1)).toBeUndefined()
  expect(detectSpike(fit, history, end, end - SLOTS_PER_DAY)).toBeDefined()
})

test('a high level of visits that has lasted for a day is no longer a spike', () => {
  const { history, fit } = makeTraffic(2)
  history.counts.fill(20, end - 12 - SLOTS_PER_DAY)
  expect(detectSpike(fit, history, end)).toBeUndefined()
})

test('the day after a holiday is not a spike', () => {
  const { history, fit } = makeTraffic(3)
  history.counts.fill(1, end - 12 - SLOTS_PER_DAY, end - 12)
  expect(detectSpike(fit, history, end)).toBeUndefined()
})

test('fewer than 20 visits in an hour are never a spike', () => {
  const { history, fit } = makeTraffic(2)
  const fitWithFewVisits = { ...fit, rates: fit.rates.map(() => 0.08) }
  history.counts.fill(0, end - 12 - SLOTS_PER_DAY)
  history.counts[end - 1] = 19
  expect(detectSpike(fitWithFewVisits, history, end)).toBeUndefined()
  history.counts[end - 1] = 60
  expect(detectSpike(fitWithFewVisits, history, end)).toBeDefined()
})
