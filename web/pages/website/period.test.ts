import { describe, expect, it } from 'vitest'
import { chooseDays, dayIn, daysOf, isDay } from './period.ts'

describe('the days of a period', () => {
  it('end today, or before it', () => {
    expect(daysOf('today', '2026-03-10')).toEqual({ from: '2026-03-10', to: '2026-03-10' })
    expect(daysOf('yesterday', '2026-03-01')).toEqual({ from: '2026-02-28', to: '2026-02-28' })
    expect(daysOf('7d', '2026-03-10')).toEqual({ from: '2026-03-04', to: '2026-03-10' })
    expect(daysOf('30d', '2026-01-05')).toEqual({ from: '2025-12-07', to: '2026-01-05' })
    expect(daysOf('90d', '2026-03-31')).toEqual({ from: '2026-01-01', to: '2026-03-31' })
  })

  it('are those of the calendar where months and years are asked for', () => {
    expect(daysOf('month', '2026-03-10')).toEqual({ from: '2026-03-01', to: '2026-03-10' })
    expect(daysOf('last_month', '2026-03-31')).toEqual({ from: '2026-02-01', to: '2026-02-28' })
    expect(daysOf('last_month', '2026-01-05')).toEqual({ from: '2025-12-01', to: '2025-12-31' })
    expect(daysOf('12mo', '2026-03-10')).toEqual({ from: '2025-03-11', to: '2026-03-10' })
    expect(daysOf('12mo', '2028-02-29')).toEqual({ from: '2027-03-01', to: '2028-02-29' })
  })

  it('may be chosen in any order, and none of them is to come', () => {
    const today = '2026-03-10'
    expect(chooseDays('2026-03-01', '2026-02-01', today)).toEqual({ from: '2026-02-01', to: '2026-03-01' })
    expect(chooseDays('2026-03-09', '2026-04-01', today)).toEqual({ from: '2026-03-09', to: today })
    expect(chooseDays('2026-04-01', '2026-04-02', today)).toBeUndefined()
    expect(chooseDays('2026-02-30', today, today)).toBeUndefined()
    expect(chooseDays('1999-01-01', today, today)).toBeUndefined()
  })

  it('are days that there are', () => {
    expect(['2026-02-29', '2026-2-1', '', 'today', '1969-12-31'].filter(isDay)).toEqual([])
    expect(isDay('2028-02-29')).toBe(true)
  })

  it('follow the clock of the website', () => {
    const at = Date.parse('2026-01-05T23:30:00Z')
    expect(dayIn('UTC', at)).toBe('2026-01-05')
    expect(dayIn('Europe/Berlin', at)).toBe('2026-01-06')
    expect(dayIn('America/New_York', at)).toBe('2026-01-05')
    expect(dayIn('Mars/Olympus', at)).toBe('2026-01-05')
  })
})
