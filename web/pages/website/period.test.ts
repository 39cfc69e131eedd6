import { describe, expect, it } from 'vitest'
import { formatCalendarDay, getPeriodDays, isCalendarDay, toDayRange } from './period.ts'

describe('the days of a period', () => {
  it('end today or yesterday', () => {
    expect(getPeriodDays('today', '2026-03-10')).toEqual({ from: '2026-03-10', to: '2026-03-10' })
    expect(getPeriodDays('yesterday', '2026-03-01')).toEqual({ from: '2026-02-28', to: '2026-02-28' })
    expect(getPeriodDays('7d', '2026-03-10')).toEqual({ from: '2026-03-04', to: '2026-03-10' })
    expect(getPeriodDays('30d', '2026-01-05')).toEqual({ from: '2025-12-07', to: '2026-01-05' })
    expect(getPeriodDays('90d', '2026-03-31')).toEqual({ from: '2026-01-01', to: '2026-03-31' })
  })

  it('follow the calendar for months and years', () => {
    expect(getPeriodDays('month', '2026-03-10')).toEqual({ from: '2026-03-01', to: '2026-03-10' })
    expect(getPeriodDays('last_month', '2026-03-31')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
    expect(getPeriodDays('last_month', '2026-01-05')).toEqual({ from: '2025-12-01', to: '2025-12-31' })
    expect(getPeriodDays('12mo', '2026-03-10')).toEqual({ from: '2025-03-11', to: '2026-03-10' })
    expect(getPeriodDays('12mo', '2028-02-29')).toEqual({ from: '2027-03-01', to: '2028-02-29' })
  })

  it('can be given in either order and never lie in the future', () => {
    const today = '2026-03-10'
    expect(toDayRange('2026-03-01', '2026-02-01', today)).toEqual({ from: '2026-02-01', to: '2026-03-01' })
    expect(toDayRange('2026-03-09', '2026-04-01', today)).toEqual({ from: '2026-03-09', to: today })
    expect(toDayRange('2026-04-01', '2026-04-02', today)).toBeUndefined()
    expect(toDayRange('2026-02-30', today, today)).toBeUndefined()
    expect(toDayRange('1999-01-01', today, today)).toBeUndefined()
  })

  it('must exist in the calendar', () => {
    expect(['2026-02-29', '2026-2-1', '', 'today', '1969-12-31'].filter(isCalendarDay)).toEqual([])
    expect(isCalendarDay('2028-02-29')).toBe(true)
  })

  it('depend on the time zone of the website', () => {
    const at = Date.parse('2026-01-05T23:30:00Z')
    expect(formatCalendarDay('UTC', at)).toBe('2026-01-05')
    expect(formatCalendarDay('Europe/Berlin', at)).toBe('2026-01-06')
    expect(formatCalendarDay('America/New_York', at)).toBe('2026-01-05')
    expect(formatCalendarDay('Mars/Olympus', at)).toBe('2026-01-05')
  })
})
