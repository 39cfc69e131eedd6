import { describe, expect, it } from 'vitest'
import { computeChange, describePrevious, isTooEarlyToJudge } from './comparison.ts'
import type { Statistics } from './queries.ts'

describe('a change', () => {
  it('is unknown without an earlier value', () => {
    expect(computeChange(150, 100)).toBe(50)
    expect(computeChange(0, 4)).toBe(-100)
    expect([computeChange(5, 0), computeChange(5, null), computeChange(null, 5)]).toEqual([null, null, null])
  })
})

describe('a comparison with part of an earlier period', () => {
  interface Comparison {
    visits?: number
    until?: string | null
    from?: string
    previousFrom?: string
    previousTo?: string
    firstDay?: string
  }
  const create = ({
    visits = 3,
    until = null,
    from = '2026-01-05',
    previousFrom = '2026-01-04',
    previousTo = previousFrom,
    firstDay = '2025-05-01',
  }: Comparison) =>
    ({
      from,
      to: '2026-01-05',
      totals: { visits },
      previous: { from: previousFrom, to: previousTo, until },
      website: { time_zone: 'Europe/Berlin', first_day: firstDay },
    }) as Statistics

  it('is not judged in the first hour of the day or before the first visit', () => {
    expect(isTooEarlyToJudge(create({ visits: 3, until: '2026-01-03T23:30:00.000Z' }))).toBe(true)
    expect(isTooEarlyToJudge(create({ visits: 0, until: '2026-01-04T09:00:00.000Z' }))).toBe(true)
    expect(isTooEarlyToJudge(create({ visits: 3, until: '2026-01-04T09:00:00.000Z' }))).toBe(false)
    expect(isTooEarlyToJudge(create({ visits: 0 }))).toBe(false)
    expect(isTooEarlyToJudge(create({ visits: 0, until: '2026-01-03T23:30:00.000Z', from: '2026-01-01' }))).toBe(false)
  })

  it('is not judged if the website had no traffic yet when the earlier period started', () => {
    const statistics = create({ previousTo: '2026-01-31', firstDay: '2026-01-05' })
    expect(isTooEarlyToJudge(statistics)).toBe(true)
    expect(describePrevious(statistics)).toMatch(/2026, which has data since .*5/)
    expect(describePrevious(create({ firstDay: '2026-01-05' }))).toMatch(/which has no data$/)
  })

  it('says that it compares the same weekdays', () => {
    expect(describePrevious(create({ previousFrom: '2025-12-29' }))).toMatch(/^the same weekday, .*29/)
    const month = create({ from: '2025-12-07', previousFrom: '2025-11-02', previousTo: '2025-12-01' })
    expect(describePrevious(month)).toMatch(/^the same weekdays, /)
    expect(describePrevious(create({}))).not.toContain('weekday')
  })

  it('says up to which time the earlier period is counted, in the time zone of the website', () => {
    expect(describePrevious(create({ until: '2026-01-04T13:05:00.000Z' }))).toMatch(/2026, up to (14:05|2:05.PM)$/)
    expect(describePrevious(create({}))).toMatch(/2026$/)
    expect(
      describePrevious(create({ until: '2026-01-04T13:05:00.000Z', from: '2026-01-01', previousTo: '2026-01-31' })),
    ).toMatch(/up to .*(4.*Jan|Jan.*4)/)
  })
})
