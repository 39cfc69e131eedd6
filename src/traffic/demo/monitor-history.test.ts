import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/time.ts'
import { generateMonitorHistory } from './monitor-history.ts'

const now = Date.parse('2026-01-05T10:20:00Z')
const history = generateMonitorHistory(now - 90 * DAY_MS, now, { intervalMs: MINUTE_MS, seed: 7 })

describe('the history of the sample monitor', () => {
  it('has whole days up to yesterday, and whole hours of the last two days', () => {
    expect(history.days).toHaveLength(89)
    expect(history.days.every(({ startsAt, total }) => startsAt % DAY_MS === 0 && total === 1_440)).toBe(true)
    expect(history.hours).toHaveLength(48 + 10)
    expect(history.hours.at(-1)?.startsAt).toBe(Date.parse('2026-01-05T09:00:00Z'))
    expect(history.hours.every(({ startsAt, total }) => startsAt % HOUR_MS === 0 && total === 60)).toBe(true)
  })

  it('has the single checks of the last hour', () => {
    expect(history.checks).toHaveLength(61)
    expect(history.checks.at(-1)?.checkedAt).toBe(now)
    expect(history.checks.every(({ responseMs }) => responseMs > 50 && responseMs < 1_000)).toBe(true)
  })

  it('has failed checks exactly while it is down', () => {
    const downMinutes = history.incidents.map(({ startedAt, resolvedAt }) => (resolvedAt - startedAt) / MINUTE_MS)
    expect(downMinutes).toEqual([4, 18, 2, 100])
    expect(history.days.reduce((sum, { failed }) => sum + failed, 0)).toBe(4 + 18 + 2 + 100)
  })

  it('has a histogram of all successful checks', () => {
    for (const { total, failed, counts, buckets } of history.days) {
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total - failed)
      expect(buckets).toEqual([...new Set(buckets)].sort((a, b) => a - b))
    }
  })
})
