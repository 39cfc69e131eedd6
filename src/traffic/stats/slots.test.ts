import { describe, expect, it } from 'vitest'
import { createDayShift } from './comparison.ts'
import { findRunningSlot, listComparedSlots, listSlots } from './slots.ts'

describe('the slots of a range', () => {
  it('are days', () => {
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
