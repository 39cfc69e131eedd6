import { describe, expect, it } from 'vitest'
import { findMonday } from '../lib/local-day.ts'
import { findLastWeek, findSunday, toWeekWindow } from './week.ts'

describe('a week', () => {
  it.each(['2026-01-05', '2026-01-07', '2026-01-11'])('is identified by its Monday: %s', (day) => {
    expect([findMonday(day), findSunday(findMonday(day))]).toEqual(['2026-01-05', '2026-01-11'])
  })

  it('ends at a different time in each time zone', () => {
    const now = new Date('2026-01-11T18:00:00Z')
    expect(findLastWeek('UTC', now)).toBe('2025-12-29')
    // In Kiritimati it is 8:00 on Monday.
    expect(findLastWeek('Pacific/Kiritimati', now)).toBe('2026-01-05')
    expect(findLastWeek('America/Los_Angeles', new Date('2026-01-12T07:59:59Z'))).toBe('2025-12-29')
  })

  it.each([
    ['Europe/Berlin', '2026-03-23', 167],
    ['Europe/Berlin', '2026-10-19', 169],
    ['Australia/Lord_Howe', '2026-03-30', 168.5],
    ['Asia/Kolkata', '2026-03-23', 168],
  ])('in %s from %s has %d hours', (zone, week, hours) => {
    const { from, to } = toWeekWindow(zone, week)
    expect((to.getTime() + 1 - from.getTime()) / 3_600_000).toBe(hours)
  })

  it('begins at midnight in the time zone of the website', () => {
    expect(toWeekWindow('Asia/Kolkata', '2026-01-05')).toEqual({
      from: new Date('2026-01-04T18:30:00.000Z'),
      to: new Date('2026-01-11T18:29:59.999Z'),
    })
  })
})
