import { describe, expect, it } from 'vitest'
import type { CheckSeries } from '../../../src/results/schema.ts'
import type { Incident } from './queries.ts'
import { daysUntil, responseLines, shadedOf, sinceFirstCheck, utcSeconds } from './series.ts'
import { endWords, pendingWords } from './labels.ts'

const point = (hour: number, p50: number | null) =>
  ({
    starts_at: `2026-01-05T0${hour}:00:00.000Z`,
    total: p50 === null ? 0 : 60,
    p50_ms: p50,
    p95_ms: p50 && p50 * 2,
    p99_ms: p50 && p50 * 3,
  }) as CheckSeries['data'][number]

describe('the chart of response times', () => {
  it('has gaps where nothing was checked', () => {
    expect(responseLines([point(2, 40), point(3, null), point(4, 50)], false)).toEqual({
      x: [1_767_578_400, 1_767_582_000, 1_767_585_600],
      p50: [40, null, 50],
      p95: [80, null, 100],
      p99: [120, null, 150],
    })
  })

  it('of a young monitor begins with its first check, unless a line would have no room', () => {
    const year = (days: number) => [...Array(365 - days).fill(point(1, null)), ...Array(days).fill(point(2, 40))]
    expect(sinceFirstCheck(year(365))).toHaveLength(365)
    expect(sinceFirstCheck(year(100))).toHaveLength(100)
    expect(sinceFirstCheck(year(2))).toHaveLength(25)
    expect(sinceFirstCheck(year(0))).toHaveLength(365)
    expect(sinceFirstCheck([point(1, null), point(2, 40)])).toHaveLength(2)
  })

  it('by the day are drawn by the clock of UTC, wherever the reader is', () => {
    const place = new Date(1_000 * utcSeconds('2026-01-05T02:00:00.000Z'))
    expect([place.getDate(), place.getHours()]).toEqual([5, 2])
    expect(responseLines([point(2, 40)], true).x).toEqual([place.getTime() / 1_000])
  })

  it('shades incidents, an open one until now', () => {
    const incident = { started_at: '2026-01-05T02:00:00.000Z', cause: 'timeout' } as Incident
    const resolved = { ...incident, resolved_at: '2026-01-05T02:05:00.000Z' }
    const open = { ...incident, resolved_at: null }
    expect(shadedOf([resolved, open], '2026-01-05T03:00:00.000Z', false)).toEqual([
      { from: 1_767_578_400, to: 1_767_578_700, label: 'Down: it took too long' },
      { from: 1_767_578_400, to: 1_767_582_000, label: 'Down: it took too long' },
    ])
  })
})

it('days until a certificate expires are whole days, negative afterwards', () => {
  const now = Date.parse('2026-01-05T10:00:00Z')
  expect(daysUntil('2026-01-19T09:59:00Z', now)).toBe(13)
  expect(daysUntil('2026-01-05T11:00:00Z', now)).toBe(0)
  expect(daysUntil('2026-01-05T09:00:00Z', now)).toBe(-1)
})

it('says what a monitor without a verdict waits for', () => {
  const [before, since, after] = ['2026-01-05T10:00:00.000Z', '2026-01-05T10:01:00.000Z', '2026-01-05T10:02:00.000Z']
  const words = (last_checked_at: string | null, last_error: string | null) =>
    pendingWords({ status_changed_at: since, last_checked_at, last_error })
  expect(words(null, null)).toBe('The first check is on its way.')
  expect(words(before, null)).toBe('Waiting for the next check.')
  expect(words(before, 'it failed before the pause')).toBe('Waiting for the next check.')
  expect(words(after, 'no answer')).toBe('It failed, and is checked again.')
})

it('says how an incident ended', () => {
  expect(endWords({ status: 'open', resolution: null })).toBe('Goes on')
  expect(endWords({ status: 'resolved', resolution: 'recovered' })).toBe('It came back')
  expect(endWords({ status: 'resolved', resolution: 'paused' })).toBe('The monitor was paused')
})
