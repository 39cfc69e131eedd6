import { describe, expect, it } from 'vitest'
import { addMonths, formatCalendarDay, getLastOfMonth, isCalendarDay } from './calendar.ts'
import { getPeriodDays, periods, type SelectedPeriod, shiftPeriod, toDayRange } from './period.ts'

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
    expect(getPeriodDays('year', '2026-03-10')).toEqual({ from: '2026-01-01', to: '2026-03-10' })
    expect(getPeriodDays('12mo', '2026-03-10')).toEqual({ from: '2025-03-11', to: '2026-03-10' })
    expect(getPeriodDays('12mo', '2028-02-29')).toEqual({ from: '2027-03-01', to: '2028-02-29' })
    expect(addMonths('2026-01-31', 1)).toBe('2026-02-28')
    expect(addMonths('2026-01-31', -2)).toBe('2025-11-30')
    expect(getLastOfMonth('2028-02-10')).toBe('2028-02-29')
  })

  it('of “All time” start on the first day with traffic, at most ten years ago', () => {
    expect(getPeriodDays('all', '2026-03-10', '2025-01-02')).toEqual({ from: '2025-01-02', to: '2026-03-10' })
    expect(getPeriodDays('all', '2026-03-10', '1999-01-02').from).toBe('2016-03-03')
    expect(getPeriodDays('all', '2026-03-10')).toEqual({ from: '2026-03-10', to: '2026-03-10' })
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

  it('of each period can be chosen with a different shortcut key', () => {
    const keys = Object.values(periods).map(({ key }) => key)
    expect(new Set(keys).size).toBe(keys.length)
  })
})

describe('the previous and the next period', () => {
  const today = '2026-03-10'
  const select = (period: SelectedPeriod['period'], from?: string, to?: string): SelectedPeriod =>
    period === undefined ? { period, from: from ?? '', to: to ?? '' } : { period, ...getPeriodDays(period, today) }
  const shiftBack = (selectedPeriod: SelectedPeriod) => shiftPeriod(selectedPeriod, -1, today)

  it('have the same number of days', () => {
    expect(shiftBack(select('today'))).toEqual({ period: 'yesterday', from: '2026-03-09', to: '2026-03-09' })
    expect(shiftBack(select('yesterday'))).toEqual({ period: undefined, from: '2026-03-08', to: '2026-03-08' })
    expect(shiftBack(select('7d'))).toEqual({ period: undefined, from: '2026-02-25', to: '2026-03-03' })
    expect(shiftBack(select('12mo'))).toEqual({ period: undefined, from: '2024-03-11', to: '2025-03-10' })
  })

  it('are whole months and years of the calendar', () => {
    expect(shiftBack(select('month'))).toEqual({ period: 'last_month', from: '2026-02-01', to: '2026-02-28' })
    expect(shiftBack(select('last_month'))).toEqual({ period: undefined, from: '2026-01-01', to: '2026-01-31' })
    expect(shiftBack(select('year'))).toEqual({ period: undefined, from: '2025-01-01', to: '2025-12-31' })
    expect(shiftBack(select(undefined, '2025-01-01', '2025-03-31'))).toMatchObject({
      from: '2024-10-01',
      to: '2024-12-31',
    })
  })

  it('are inverse: one step back and one step forward lead to the same period', () => {
    for (const period of ['today', '7d', '30d', '90d', 'month', 'year'] as const) {
      const previousPeriod = shiftBack(select(period)) as SelectedPeriod
      expect(shiftPeriod(previousPeriod, 1, today), period).toEqual(select(period))
    }
  })

  it('never start in the future, and are cut off today', () => {
    for (const period of ['today', '7d', 'month', 'year', '12mo'] as const) {
      expect(shiftPeriod(select(period), 1, today), period).toBeUndefined()
    }
    expect(shiftPeriod(select(undefined, '2026-02-20', '2026-03-05'), 1, today)).toEqual({
      period: undefined,
      from: '2026-03-06',
      to: today,
    })
    expect(shiftBack(select('all'))).toBeUndefined()
  })
})
