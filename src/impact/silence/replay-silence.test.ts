import { expect, test } from 'vitest'
import { SLOTS_PER_DAY, SLOTS_PER_WEEK, type VisitHistory } from '../model/visit-history.ts'
import { findPoissonTail, isRecovered, replaySilence } from './replay-silence.ts'

/** Creates a history with two visits in every slot. */
function makeBusyHistory(weeks: number) {
  const slots = weeks * SLOTS_PER_WEEK
  const counts = new Uint32Array(slots).fill(2)
  const hourOfWeek = Uint8Array.from(counts, (_, slot) => Math.floor(slot / 12) % 168)
  return { counts, excluded: new Uint8Array(slots), hourOfWeek } satisfies VisitHistory
}

test('a stop of three hours is one alarm, which ends when visits return', () => {
  const history = makeBusyHistory(10)
  const stop = 9 * SLOTS_PER_WEEK + 100
  history.counts.fill(0, stop, stop + 36)
  const { alarms, weeksReplayed, exceedsBudget } = replaySilence(history, 1)
  expect(alarms).toHaveLength(1)
  expect(alarms[0]?.from).toBeCloseTo(stop - 1 / 3)
  expect(alarms[0]?.alarmAt).toBeLessThan(stop + 12)
  expect(alarms[0]?.to).toBe(stop + 37)
  expect(alarms[0]?.gapMinutes).toBe(183)
  expect(weeksReplayed).toBe(8)
  expect(exceedsBudget).toBe(false)
})

test('a stop in excluded time is no alarm', () => {
  const history = makeBusyHistory(10)
  const stop = 9 * SLOTS_PER_WEEK + 100
  history.counts.fill(0, stop, stop + 36)
  history.excluded.fill(1, stop, stop + 36)
  expect(replaySilence(history, 1).alarms).toEqual([])
})

test('a history that ends in a silence has an alarm that lasts until the end of the history', () => {
  const history = makeBusyHistory(4)
  const end = history.counts.length
  history.counts.fill(0, end - 60)
  expect(replaySilence(history, 1).alarms).toMatchObject([{ to: end }])
})

test('many alarms exceed the budget, but one more than the budget may be chance', () => {
  const history = makeBusyHistory(30)
  for (const week of [9, 13, 17, 21, 25]) history.counts.fill(0, week * SLOTS_PER_WEEK, week * SLOTS_PER_WEEK + 60)
  expect(replaySilence(history, 1)).toMatchObject({ alarms: { length: 5 }, exceedsBudget: true })
  expect(replaySilence(history, 6)).toMatchObject({ alarms: { length: 5 }, exceedsBudget: false })
})

test('a replay says how long a stop takes to be noticed', () => {
  const delays = replaySilence(makeBusyHistory(8), 1).delayMinutes
  expect(delays?.day).toBeGreaterThan(20)
  expect(delays?.day).toBeLessThan(60)
})

test('a replay gives no time to notice a stop if that time is over two weeks', () => {
  const history = makeBusyHistory(8)
  // The website has one visit in four days.
  history.counts.fill(0)
  for (let slot = 0; slot < history.counts.length; slot += 4 * SLOTS_PER_DAY) history.counts[slot] = 1
  expect(replaySilence(history, 1).delayMinutes).toMatchObject({ day: null, night: null })
})

test('a replay of a short history has no alarms and no figures', () => {
  expect(replaySilence(makeBusyHistory(1), 1)).toEqual({
    alarms: [],
    weeksReplayed: 0,
    expectedAYear: undefined,
    exceedsBudget: false,
    delayMinutes: undefined,
  })
})

test('a silence ends after two visits at a quarter of the expected rate or more, or after a day of visits', () => {
  expect(isRecovered(1, 0, 1)).toBe(false)
  expect(isRecovered(2, 8, 10)).toBe(true)
  expect(isRecovered(2, 9, 10)).toBe(false)
  expect(isRecovered(2, 90, SLOTS_PER_DAY)).toBe(true)
})

test('the Poisson probability of at least a number of events is exact', () => {
  expect(findPoissonTail(0, 1)).toBe(1)
  expect(findPoissonTail(1, 1)).toBeCloseTo(1 - Math.exp(-1), 12)
  expect(findPoissonTail(4, 1)).toBeCloseTo(0.018988, 6)
})
