import { describe, expect, it } from 'vitest'
import { formatSlotLabels, formatSlotTitle, getSlotDays, listIntervals, selectInterval } from './slots.ts'

describe('the intervals of a range', () => {
  const list = (from: string, to: string) => listIntervals({ from, to })

  it('give a useful number of points', () => {
    expect(list('2026-01-05', '2026-01-05')).toEqual(['hour'])
    expect(list('2026-01-01', '2026-01-07')).toEqual(['hour', 'day'])
    expect(list('2026-01-01', '2026-01-30')).toEqual(['day', 'week'])
    expect(list('2026-01-01', '2026-03-31')).toEqual(['day', 'week', 'month'])
    expect(list('2025-01-01', '2025-12-31')).toEqual(['day', 'week', 'month'])
    expect(list('2017-01-01', '2026-01-05')).toEqual(['month'])
  })

  it('have a default, which replaces a chosen interval that does not suit the range', () => {
    const select = (from: string, to: string, chosenInterval?: 'hour' | 'day' | 'week' | 'month') =>
      selectInterval({ from, to }, chosenInterval)
    expect(select('2026-01-05', '2026-01-05')).toBe('hour')
    expect(select('2026-01-01', '2026-03-31')).toBe('day')
    expect(select('2025-01-01', '2025-12-31')).toBe('week')
    expect(select('2023-01-01', '2025-12-31')).toBe('month')
    expect(select('2026-01-01', '2026-01-07', 'hour')).toBe('hour')
    expect(select('2026-01-01', '2026-01-07', 'month')).toBe('day')
  })
})

describe('a point of the chart', () => {
  const year = { from: '2025-01-06', to: '2026-01-05' }

  it('covers only the days of its week or month that are in the range', () => {
    expect(getSlotDays('day', '2025-05-01', year)).toEqual({ from: '2025-05-01', to: '2025-05-01' })
    expect(getSlotDays('hour', '2025-05-01T09:00:00+02:00', year)).toEqual({ from: '2025-05-01', to: '2025-05-01' })
    expect(getSlotDays('week', '2025-01-13', year)).toEqual({ from: '2025-01-13', to: '2025-01-19' })
    expect(getSlotDays('week', '2026-01-05', year)).toEqual({ from: '2026-01-05', to: '2026-01-05' })
    expect(getSlotDays('month', '2025-01-01', year)).toEqual({ from: '2025-01-06', to: '2025-01-31' })
    expect(getSlotDays('month', '2025-02', year)).toEqual({ from: '2025-02-01', to: '2025-02-28' })
  })

  it('is labelled with its year if the range has several years', () => {
    expect(formatSlotLabels('week', ['2025-01-13'], year)).toEqual([expect.stringMatching(/2025/)])
    expect(formatSlotLabels('month', ['2025-02-01'], year)).toEqual([expect.stringMatching(/Feb.*2025/)])
    const days = { from: '2026-01-01', to: '2026-01-05' }
    expect(formatSlotLabels('day', ['2026-01-03'], days)).toEqual([expect.not.stringMatching(/2026/)])
  })

  it('is labelled with its day if it is the first hour of one of several days', () => {
    const hours = ['2026-03-28T23:00:00+01:00', '2026-03-29T00:00:00+01:00', '2026-03-29T01:00:00+01:00']
    const [first, second, third] = formatSlotLabels('hour', hours, { from: '2026-03-28', to: '2026-03-29' })
    expect([first, second, third]).toEqual([expect.stringMatching(/28/), expect.stringMatching(/29/), ''])
    expect(formatSlotLabels('hour', hours.slice(1), { from: '2026-03-29', to: '2026-03-29' })).not.toContain('')
  })

  it('has a title with its full date', () => {
    expect(formatSlotTitle('week', '2025-01-13', year)).toMatch(/13.*19.*2025/)
    expect(formatSlotTitle('month', '2025-02-01', year)).toMatch(/February.*2025/)
    expect(formatSlotTitle('month', '2025-01-01', year)).toMatch(/6.*31.*2025/)
    expect(formatSlotTitle('hour', '2025-05-01T09:00:00+02:00', year)).toMatch(/Thu.*1.*2025.*9:00/)
  })
})
