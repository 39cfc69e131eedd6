import { expect, test } from 'vitest'
import { SLOTS_PER_DAY, SLOTS_PER_WEEK, type VisitHistory } from '../model/visit-history.ts'
import { advanceLevel, findMeanLevel, type LevelState, startLevel } from './level.ts'
import { LevelTables } from './level-tables.ts'
import { findAlarmTime, fitSilence, type SilenceFit } from './silence.ts'

/**
 * Creates independent visits (Poisson counts with a fixed seed), on average `visitsADay` spread over the open hours.
 */
function makeHistory(weeks: number, visitsADay: number, isOpen = (_hour: number) => true): VisitHistory {
  const slots = weeks * SLOTS_PER_WEEK
  const hourOfWeek = Array.from({ length: slots + 4 * SLOTS_PER_WEEK }, (_, slot) => Math.floor(slot / 12) % 168)
  const openHours = Array.from({ length: 24 }, (_, hour) => hour).filter(isOpen).length
  let random = 7
  const counts = Array.from({ length: slots }, (_, slot) => {
    if (!isOpen((hourOfWeek[slot] ?? 0) % 24)) return 0
    let visits = 0
    const limit = Math.exp(-visitsADay / openHours / 12)
    for (let product = draw(); product > limit; product *= draw()) visits++
    return visits
  })
  function draw(): number {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    return (random + 0.5) / 4_294_967_296
  }
  return { counts, excluded: new Uint8Array(slots), hourOfWeek }
}

function getFit(history: VisitHistory): SilenceFit {
  const fit = fitSilence(history)
  if (!fit) throw new Error('There is no fit.')
  return fit
}

const regularHistory = makeHistory(8, 500)
const end = 8 * SLOTS_PER_WEEK
const noon = end + SLOTS_PER_DAY / 2
const { hourOfWeek } = regularHistory

const addSlot = (tables: LevelTables, level: LevelState, visits: number, hour: number) =>
  advanceLevel(tables, level, { visits, hourOfWeek: hour, isExcluded: false })

function findDelay(
  history: VisitHistory,
  lastVisit: number,
  alarmBudgetAYear = 1,
  excluded?: ArrayLike<number>,
): number {
  const tables = new LevelTables<SilenceFit>().of(getFit(history))
  const level = startLevel(tables, history, history.counts.length - 2 * SLOTS_PER_DAY)
  const alarm = findAlarmTime(tables, level, { lastVisit, hourOfWeek: history.hourOfWeek, excluded }, alarmBudgetAYear)
  return (alarm ?? Number.POSITIVE_INFINITY) - lastVisit
}

test('if 500 visits a day stop, the alarm comes after about ln(visits a year) times the mean gap between visits', () => {
  const floorSlots = (Math.log(500 * 365) * SLOTS_PER_DAY) / 500
  const delay = findDelay(regularHistory, noon)
  expect(delay).toBeGreaterThan(floorSlots * 0.95)
  expect(delay).toBeLessThan(floorSlots * 1.3)
})

test('a smaller budget of false alarms delays the alarm', () => {
  expect(findDelay(regularHistory, noon, 0.1)).toBeGreaterThan(findDelay(regularHistory, noon, 1))
  expect(findDelay(regularHistory, noon, 12)).toBeLessThan(findDelay(regularHistory, noon, 1))
})

test('a night without visits is no alarm, but a morning without visits is an alarm', () => {
  const shop = makeHistory(8, 300, (hour) => hour >= 8 && hour < 20)
  const closingSlot = end + 20 * 12 - 1
  const alarmHour = ((closingSlot + findDelay(shop, closingSlot)) / 12) % 24
  expect(alarmHour).toBeGreaterThan(8)
  expect(alarmHour).toBeLessThan(10)
})

// The hours after the excluded time have slightly different rates, so the delay grows by about 30 slots, but not exactly by 30.
test('excluded time does not count towards the gap', () => {
  const excluded = new Uint8Array(end + SLOTS_PER_WEEK)
  excluded.fill(1, noon + 1, noon + 31)
  const difference = findDelay(regularHistory, noon, 1, excluded) - findDelay(regularHistory, noon)
  expect(difference).toBeGreaterThan(25)
  expect(difference).toBeLessThan(35)
})

test('a quiet day lowers the level within hours, which delays the alarm', () => {
  const tables = new LevelTables<SilenceFit>().of(getFit(regularHistory))
  const level = startLevel(tables, regularHistory, end - 2 * SLOTS_PER_DAY)
  const usualAlarm = findAlarmTime(tables, level, { lastVisit: noon, hourOfWeek }, 1) ?? 0
  for (let slot = 0; slot < 96; slot++) addSlot(tables, level, slot % 2, regularHistory.hourOfWeek[end + slot] ?? 0)
  expect(findMeanLevel(level.now)).toBeLessThan(0.5)
  const quietAlarm = findAlarmTime(tables, level, { lastVisit: noon, hourOfWeek }, 1) ?? 0
  expect(quietAlarm - noon).toBeGreaterThan(2 * (usualAlarm - noon))
})

test('a silence does not lower the level of visits with which it is compared', () => {
  const tables = new LevelTables<SilenceFit>().of(getFit(regularHistory))
  const level = startLevel(tables, regularHistory, end - 2 * SLOTS_PER_DAY)
  addSlot(tables, level, 2, regularHistory.hourOfWeek[end] ?? 0)
  const before = findAlarmTime(tables, level, { lastVisit: end + 0.5, hourOfWeek }, 1)
  for (let slot = 1; slot < 10; slot++) addSlot(tables, level, 0, regularHistory.hourOfWeek[end + slot] ?? 0)
  expect(findAlarmTime(tables, level, { lastVisit: end + 0.5, hourOfWeek }, 1)).toBe(before)
})

test('the fit and the level of visits can be stored as JSON, and the fit is small', () => {
  const fit = getFit(regularHistory)
  const tables = new LevelTables<SilenceFit>().of(fit)
  const level = startLevel(tables, regularHistory, end - SLOTS_PER_DAY)
  const text = JSON.stringify(fit)
  expect(text.length).toBeLessThan(8000)
  const gap = { lastVisit: noon, hourOfWeek }
  const alarm = findAlarmTime(tables, level, gap, 1)
  const [tablesCopy, levelCopy] = [
    new LevelTables<SilenceFit>().of(JSON.parse(text)),
    JSON.parse(JSON.stringify(level)),
  ]
  expect(findAlarmTime(tablesCopy, levelCopy, gap, 1)).toBeCloseTo(alarm ?? 0, 6)
})

test('a history of under two weeks, without visits, or of excluded time has no fit', () => {
  expect(fitSilence(makeHistory(1.9, 500))).toBeUndefined()
  expect(fitSilence(makeHistory(8, 0))).toBeUndefined()
  const history = makeHistory(3, 500)
  expect(fitSilence({ ...history, excluded: new Uint8Array(3 * SLOTS_PER_WEEK).fill(1) })).toBeUndefined()
})

test('after a slot with more visits than any level explains, the weights of the levels are still finite', () => {
  const tables = new LevelTables<SilenceFit>().of(getFit(regularHistory))
  const level = startLevel(tables, regularHistory, end - SLOTS_PER_DAY)
  for (const visits of [50_000, 0, 41, 1_000_000]) addSlot(tables, level, visits, 12)
  expect(level.now.every((weight) => Number.isFinite(weight) && weight >= 0)).toBe(true)
  expect(findAlarmTime(tables, level, { lastVisit: noon, hourOfWeek }, 1)).toBeGreaterThan(noon)
})
