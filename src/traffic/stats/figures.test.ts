import { describe, expect, it } from 'vitest'
import {
  type Comparison,
  createDayShift,
  findRunningSlot,
  findSameTimeOnDay,
  listComparedSlots,
  listSlots,
} from './figures.ts'

describe('the slots of a range', () => {
  it('are days if the interval is a day', () => {
    expect(listSlots({ from: '2026-02-27', to: '2026-03-01' }, 'day').map(({ from }) => from)).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ])
  })

  it('are weeks from Monday to Sunday, of which the first and last are clipped', () => {
    expect(listSlots({ from: '2026-11-05', to: '2026-11-17' }, 'week')).toEqual([
      { from: '2026-11-05', to: '2026-11-08' },
      { from: '2026-11-09', to: '2026-11-15' },
      { from: '2026-11-16', to: '2026-11-17' },
    ])
    expect(listSlots({ from: '2026-11-08', to: '2026-11-08' }, 'week')).toEqual([
      { from: '2026-11-08', to: '2026-11-08' },
    ])
  })

  it('are months, of which the first and last are clipped', () => {
    expect(listSlots({ from: '2025-12-31', to: '2026-02-01' }, 'month')).toEqual([
      { from: '2025-12-31', to: '2025-12-31' },
      { from: '2026-01-01', to: '2026-01-31' },
      { from: '2026-02-01', to: '2026-02-01' },
    ])
  })
})

describe('the slots of the compared period', () => {
  const list = (from: string, to: string, interval: 'day' | 'week' | 'month', period: 'previous' | 'year') => {
    const shiftDay = createDayShift({ from, to }, { period, matchesWeekdays: false })
    const comparedRange = { from: shiftDay(from), to: shiftDay(to) }
    return listComparedSlots({ from, to }, comparedRange, interval, shiftDay).map((slot) => `${slot.from} ${slot.to}`)
  }

  it('have the same lengths as the slots of the range', () => {
    expect(list('2026-11-05', '2026-11-17', 'week', 'previous')).toEqual([
      '2026-10-23 2026-10-26',
      '2026-10-27 2026-11-02',
      '2026-11-03 2026-11-04',
    ])
  })

  it('are the same months a year earlier', () => {
    expect(list('2028-01-15', '2028-03-10', 'month', 'year')).toEqual([
      '2027-01-15 2027-01-31',
      '2027-02-01 2027-02-28',
      '2027-03-01 2027-03-10',
    ])
  })

  it('are all days of the period, even if a leap day makes it longer', () => {
    expect(list('2025-02-28', '2025-03-01', 'day', 'year')).toEqual([
      '2024-02-28 2024-02-28',
      '2024-02-29 2024-02-29',
      '2024-03-01 2024-03-01',
    ])
  })
})

describe('the running slot', () => {
  const now = new Date('2026-10-25T01:30:00Z')
  const find = (from: string, to: string, interval: 'hour' | 'day' | 'week' | 'month') =>
    findRunningSlot({ from, to }, interval, 'Europe/Berlin', now)

  it('contains the current time in the time zone of the website', () => {
    // The second of the two hours that begin at 2:00 on this day.
    expect(find('2026-10-25', '2026-10-25', 'hour')).toBe('2026-10-25T02:00:00+01:00')
    expect(find('2026-10-20', '2026-10-25', 'day')).toBe('2026-10-25')
    expect(find('2026-10-22', '2026-10-25', 'week')).toBe('2026-10-22')
    expect(find('2026-09-22', '2026-10-30', 'week')).toBe('2026-10-19')
    expect(find('2026-09-22', '2026-10-25', 'month')).toBe('2026-10-01')
  })

  it('does not exist if the range has ended or not begun', () => {
    expect(find('2026-10-01', '2026-10-24', 'month')).toBe(null)
    expect(find('2026-10-26', '2026-10-27', 'day')).toBe(null)
  })
})

const previous: Comparison = { period: 'previous', matchesWeekdays: false }
const year: Comparison = { period: 'year', matchesWeekdays: false }

describe('the compared period', () => {
  it.each([
    [
      'the period of the same length just before the range',
      '2026-11-07',
      '2026-11-16',
      previous,
      '2026-10-28',
      '2026-11-06',
    ],
    ['the day before', '2026-03-01', '2026-03-01', previous, '2026-02-28', '2026-02-28'],
    [
      'the latest earlier days with the same weekdays',
      '2026-11-07',
      '2026-11-16',
      weekdays(previous),
      '2026-10-24',
      '2026-11-02',
    ],
    ['the same weekday of the week before', '2026-11-16', '2026-11-16', weekdays(previous), '2026-11-09', '2026-11-09'],
    [
      'the week before if the range is a week',
      '2026-11-10',
      '2026-11-16',
      weekdays(previous),
      '2026-11-03',
      '2026-11-09',
    ],
    ['the same dates a year earlier', '2026-11-07', '2026-11-16', year, '2025-11-07', '2025-11-16'],
    ['28 February for 29 February', '2028-02-01', '2028-02-29', year, '2027-02-01', '2027-02-28'],
    ['52 weeks earlier', '2026-11-09', '2026-11-15', weekdays(year), '2025-11-10', '2025-11-16'],
  ])('is %s', (_, from, to, comparison, comparedFrom, comparedTo) => {
    const shiftDay = createDayShift({ from, to }, comparison)
    expect([shiftDay(from), shiftDay(to)]).toEqual([comparedFrom, comparedTo])
  })

  function weekdays(comparison: Comparison): Comparison {
    return { ...comparison, matchesWeekdays: true }
  }
})

describe('the same time on an earlier day', () => {
  it.each([
    [
      'is as long after midnight as the current time',
      'UTC',
      '2026-11-16T09:15:30.250Z',
      '2026-11-09',
      '2026-11-09T09:15:30.250Z',
    ],
    [
      'is the same local time if the clocks have changed since then',
      'Europe/Berlin',
      '2026-10-26T09:00:00Z',
      '2026-10-19',
      '2026-10-19T08:00:00.000Z',
    ],
    [
      'is the same local time on a day of 25 hours',
      'Europe/Berlin',
      '2026-10-26T09:00:00Z',
      '2026-10-25',
      '2026-10-25T09:00:00.000Z',
    ],
    [
      'is an hour later if the clocks skipped that time',
      'Europe/Berlin',
      '2026-03-30T00:30:00Z',
      '2026-03-29',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'is the first of two times if the clocks showed that time twice',
      'Europe/Berlin',
      '2026-10-26T01:30:00Z',
      '2026-10-25',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'is never before the start of a day that starts at 1 a.m.',
      'Africa/Cairo',
      '2026-04-24T21:10:00Z',
      '2026-04-24',
      '2026-04-23T22:10:00.000Z',
    ],
  ])('%s', (_, zone, now, day, expected) => {
    expect(findSameTimeOnDay(zone, new Date(now), day).toISOString()).toBe(expected)
  })
})
