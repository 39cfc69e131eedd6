import { describe, expect, it } from 'vitest'
import { listHoursOfWeek, SLOT_MS, SLOTS_PER_DAY } from '../model/visit-history.ts'
import { exceedsBudgetOnQuietDays, findQuietPattern } from './quiet-pattern.ts'

const startsAt = new Date('2025-11-10T00:00:00Z')
const DAYS = 378
const slotOf = (time: string) => (Date.parse(time) - startsAt.getTime()) / SLOT_MS

/** Creates a history with 20 visits every five minutes from 8:00 to 18:00 on working days, times `factor`. */
function createHistory(factor: (day: string, slot: number) => number) {
  const slots = DAYS * SLOTS_PER_DAY
  const hourOfWeek = listHoursOfWeek('UTC', startsAt.getTime(), slots)
  const counts = Uint32Array.from(hourOfWeek, (hour, slot) => {
    const day = new Date(startsAt.getTime() + slot * SLOT_MS).toISOString().slice(0, 10)
    const isOpen = hour < 120 && hour % 24 >= 8 && hour % 24 < 18
    return isOpen ? Math.round(20 * factor(day, slot)) : 0
  })
  return { counts, excluded: new Uint8Array(slots), hourOfWeek }
}

const createAlarm = (from: string, to: string) => ({
  from: slotOf(from),
  alarmAt: slotOf(from) + 6,
  to: slotOf(to),
  gapMinutes: 0,
})
const website = { startsAt, timeZone: 'UTC' }
const germanHolidays = [
  '2025-12-25',
  '2025-12-26',
  '2026-01-01',
  '2026-04-03',
  '2026-04-06',
  '2026-05-01',
  '2026-05-14',
  '2026-05-25',
]

describe('the alarms of a replay', () => {
  it('on public holidays are recognized, and their country is suggested', () => {
    const quietDays = [...germanHolidays, '2025-12-24']
    const history = createHistory((day) => (quietDays.includes(day) ? 0.1 : 1))
    const alarms = [
      createAlarm('2026-05-14T08:00:00Z', '2026-05-14T10:00:00Z'),
      createAlarm('2026-04-06T08:00:00Z', '2026-04-06T11:00:00Z'),
    ]
    expect(findQuietPattern(history, website, alarms)).toEqual({
      quietAlarms: 2,
      suggestedHolidays: 'DE',
      suggestedQuietDays: ['2025-12-24'],
    })
  })

  it('on a day without any visit are recognized as alarms on a quiet day', () => {
    const history = createHistory((day) => (day === '2026-03-17' ? 0 : 1))
    const alarms = [createAlarm('2026-03-16T18:00:00Z', '2026-03-18T08:00:00Z')]
    const alarmsOnNextDay = alarms.map((alarm) => ({ ...alarm, alarmAt: slotOf('2026-03-17T09:00:00Z') }))
    const pattern = findQuietPattern(history, website, alarmsOnNextDay)
    expect(pattern).toEqual({ quietAlarms: 1, suggestedHolidays: null, suggestedQuietDays: ['2026-03-17'] })
  })

  it('do not count as alarms on quiet days if the rest of the day is as usual', () => {
    const [from, to] = ['2026-03-17T11:00:00Z', '2026-03-17T18:00:00Z']
    const history = createHistory((_, slot) => (slot >= slotOf(from) && slot < slotOf(to) ? 0 : 1))
    const pattern = findQuietPattern(history, website, [createAlarm(from, to)])
    expect(pattern).toEqual({ quietAlarms: 0, suggestedHolidays: null, suggestedQuietDays: [] })
  })

  it('lead to suggestions of single days for school holidays of six weeks', () => {
    const isHoliday = (day: string) => day >= '2026-07-01' && day < '2026-08-12'
    const history = createHistory((day) => (isHoliday(day) ? 0.2 : 1))
    const alarms = [createAlarm('2026-07-01T08:00:00Z', '2026-07-01T10:00:00Z')]
    const { quietAlarms, suggestedQuietDays } = findQuietPattern(history, website, alarms)
    expect([quietAlarms, suggestedQuietDays.length]).toEqual([1, 30])
    expect(suggestedQuietDays.every(isHoliday)).toBe(true)
  })

  it('exceed the budget if more of them than the budget allows, and at least two, are on quiet days', () => {
    const exceedsBudget = (quietAlarms: number, alarmBudgetAYear: number) =>
      exceedsBudgetOnQuietDays({ weeksReplayed: 52 }, { quietAlarms }, alarmBudgetAYear)
    expect([exceedsBudget(1, 0.1), exceedsBudget(2, 1), exceedsBudget(2, 2), exceedsBudget(3, 2)]).toEqual([
      false,
      true,
      false,
      true,
    ])
  })
})
