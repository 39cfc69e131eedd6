import { describe, expect, it } from 'vitest'
import { type Comparison, createDayShift, findSameTimeOnDay } from './comparison.ts'

const previous: Comparison = { period: 'previous', matchesWeekdays: false }
const year: Comparison = { period: 'year', matchesWeekdays: false }

describe('the compared period', () => {
  it.each([
    ['the period just before', '2026-11-07', '2026-11-16', previous, '2026-10-28', '2026-11-06'],
    ['the day before', '2026-03-01', '2026-03-01', previous, '2026-02-28', '2026-02-28'],
    ['the same weekdays before', '2026-11-07', '2026-11-16', weekdays(previous), '2026-10-24', '2026-11-02'],
    ['the same weekday of the week before', '2026-11-16', '2026-11-16', weekdays(previous), '2026-11-09', '2026-11-09'],
    ['exactly the week before', '2026-11-10', '2026-11-16', weekdays(previous), '2026-11-03', '2026-11-09'],
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
    ['is as long after midnight', 'UTC', '2026-11-16T09:15:30.250Z', '2026-11-09', '2026-11-09T09:15:30.250Z'],
    [
      'is the same on the clock after a change',
      'Europe/Berlin',
      '2026-10-26T09:00:00Z',
      '2026-10-19',
      '2026-10-19T08:00:00.000Z',
    ],
    [
      'is the same on the clock on a day of 25 hours',
      'Europe/Berlin',
      '2026-10-26T09:00:00Z',
      '2026-10-25',
      '2026-10-25T09:00:00.000Z',
    ],
    [
      'is an hour later if the clocks skipped it',
      'Europe/Berlin',
      '2026-03-30T00:30:00Z',
      '2026-03-29',
      '2026-03-29T01:30:00.000Z',
    ],
    [
      'is the first of two if the clocks showed it twice',
      'Europe/Berlin',
      '2026-10-26T01:30:00Z',
      '2026-10-25',
      '2026-10-25T00:30:00.000Z',
    ],
    [
      'is never before a day that starts at 1 a.m.',
      'Africa/Cairo',
      '2026-04-24T21:10:00Z',
      '2026-04-24',
      '2026-04-23T22:10:00.000Z',
    ],
  ])('%s', (_, zone, now, day, expected) => {
    expect(findSameTimeOnDay(zone, new Date(now), day).toISOString()).toBe(expected)
  })
})
