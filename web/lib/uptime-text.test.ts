import { describe, expect, it } from 'vitest'
import { DAY_SECONDS } from '../../src/shared/time.ts'
import { formatClockTime, formatDate, formatShortDay } from './format.ts'
import { describeUptime, formatSince, hasUptimePercent } from './uptime-text.ts'

const since = (time: string) => new Date(time).toISOString()

describe('the start of monitoring', () => {
  const now = new Date('2026-11-18T15:00')

  it.each([
    ['today as a time', '2026-11-18T11:41', formatClockTime('2026-11-18T11:41')],
    ['this year as a day', '2026-11-03T11:41', formatShortDay('2026-11-03')],
    ['an earlier year with the year', '2025-12-24T11:41', formatDate('2025-12-24T11:41')],
  ])('shows %s', (_case, at, text) => expect(formatSince(since(at), now)).toBe(text))
})

describe('uptime', () => {
  const monitored_since = since('2025-11-03T11:41')
  const young = { uptime_percent: 71.964, monitored_since, monitored_seconds: DAY_SECONDS - 1 }
  const period = 'in the last 90 days'

  it.each([
    ['covers the period', { ...young, monitored_since: null }, /^71.96.% uptime in the last 90 days$/],
    ['covers less', { ...young, monitored_seconds: DAY_SECONDS }, /^71.96.% uptime since .*2025/],
    ['covers less than a day', young, /^Monitored since .*2025/],
    [
      'covers nothing',
      { ...young, uptime_percent: null, monitored_since: null },
      /^Not monitored in the last 90 days$/,
    ],
  ])('that %s says so', (_case, uptime, text) =>
    expect(describeUptime(uptime, period).replace(/(\d)[.,](\d+)\s?%/, '$1.$2_%')).toMatch(text),
  )

  it('has no percentage before the monitor has a day of data', () => {
    expect(hasUptimePercent(young)).toBe(false)
    expect(hasUptimePercent({ ...young, monitored_seconds: DAY_SECONDS })).toBe(true)
    expect(hasUptimePercent({ ...young, monitored_since: null })).toBe(true)
  })
})
