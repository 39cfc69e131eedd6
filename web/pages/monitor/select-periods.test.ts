import { expect, it } from 'vitest'
import type { UptimePeriod } from './queries.ts'
import { listExpectedWindows, selectPeriods } from './select-periods.ts'

const now = new Date('2026-11-18T12:00:00.000Z')
const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
const periodDays = { '24h': 1, '30d': 30, '90d': 90, '6mo': 184, '1y': 365 } as const

/** A monitor that was first monitored this many days ago, or never. */
function selectNames(days: number | undefined, createdDaysAgo = days ?? 0): string[] {
  const periods = Object.entries(periodDays).map(([period, length]) => ({
    period,
    from: daysAgo(length),
    uptime_percent: days === undefined ? null : 100,
    monitored_since: days !== undefined && days < length ? daysAgo(days) : null,
  }))
  return selectPeriods({ periods: periods as UptimePeriod[] }, daysAgo(createdDaysAgo)).map(({ period }) => period)
}

it.each([
  [0.1, ['24h']],
  [3, ['24h', '30d']],
  [40, ['24h', '30d', '6mo']],
  [200, ['24h', '30d', '6mo', '1y']],
  [900, ['24h', '30d', '6mo', '1y']],
])('a monitor with %d days of data has the tiles %j, also while they load', (days, names) => {
  expect(selectNames(days)).toEqual(names)
  expect(listExpectedWindows(daysAgo(days), now)).toEqual(names)
})

it('a monitor without data has the tiles of its age', () => {
  expect(selectNames(undefined, 0.1)).toEqual(['24h'])
  expect(selectNames(undefined, 500)).toEqual(['24h', '30d', '6mo', '1y'])
})
