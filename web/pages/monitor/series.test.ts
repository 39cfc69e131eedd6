import { describe, expect, it } from 'vitest'
import type { CheckSeries } from '../../../src/results/schema.ts'
import { formatDurationSeconds } from '../../lib/format.ts'
import { describeIncident, describePending } from './labels.ts'
import type { Incident } from './queries.ts'
import { countDaysUntil, toIncidentBands, toResponseLines, toUtcClockSeconds, trimToFirstCheck } from './series.ts'

const createPoint = (hour: number, p50: number | null) =>
  ({
    starts_at: `2026-01-05T0${hour}:00:00.000Z`,
    total: p50 === null ? 0 : 60,
    p50_ms: p50,
    p95_ms: p50 && p50 * 2,
    p99_ms: p50 && p50 * 3,
  }) as CheckSeries['data'][number]

describe('the response time chart', () => {
  it('has gaps where no checks ran', () => {
    expect(toResponseLines([createPoint(2, 40), createPoint(3, null), createPoint(4, 50)], 3_600)).toMatchObject({
      x: [1_767_580_200, 1_767_583_800, 1_767_587_400],
      xRange: [1_767_578_400, 1_767_589_200],
      p50: [40, null, 50],
      p95: [80, null, 100],
      p99: [120, null, 150],
    })
  })

  it('starts at the first check of a new monitor, but has at least 25 points', () => {
    const createYear = (days: number) => [
      ...Array(365 - days).fill(createPoint(1, null)),
      ...Array(days).fill(createPoint(2, 40)),
    ]
    expect(trimToFirstCheck(createYear(365))).toHaveLength(365)
    expect(trimToFirstCheck(createYear(100))).toHaveLength(100)
    expect(trimToFirstCheck(createYear(2))).toHaveLength(25)
    expect(trimToFirstCheck(createYear(0))).toHaveLength(365)
    expect(trimToFirstCheck([createPoint(1, null), createPoint(2, 40)])).toHaveLength(2)
  })

  it('places daily points by UTC time in every time zone', () => {
    const chartDate = new Date(1_000 * toUtcClockSeconds('2026-01-05T02:00:00.000Z'))
    expect([chartDate.getDate(), chartDate.getHours()]).toEqual([5, 2])
    expect(toResponseLines([createPoint(2, 40)], 86_400).xRange[0]).toEqual(chartDate.getTime() / 1_000)
  })

  it('shades incidents, and an ongoing incident until the end of the chart', () => {
    const incident = {
      id: 5,
      monitor_id: 3,
      started_at: '2026-01-05T02:00:00.000Z',
      cause: 'timeout',
      impact: null,
    } as Incident
    const resolvedIncident = { ...incident, detail: 'no response', resolved_at: '2026-01-05T02:05:00.000Z' }
    const openIncident = { ...incident, detail: 'No response.', resolved_at: null }
    const texts = { title: 'Timeout', detail: 'No response.', href: '/monitors/3?window=24h&incident=5' }
    const meta = { window: '24h', to: '2026-01-05T03:00:00.000Z', bucket_seconds: 3_600 } as const
    expect(toIncidentBands([resolvedIncident, openIncident], meta)).toEqual([
      { from: 1_767_578_400, to: 1_767_578_700, ...texts },
      { from: 1_767_578_400, to: 1_767_582_000, ...texts },
    ])
  })

  it('says how many visits an incident cost', () => {
    const impact = { visits_expected: 43, visits_missed: 40, visits_missed_low: 28, visits_missed_high: 54 }
    const incident = { cause: 'timeout', detail: 'No response', impact } as Incident
    const [band] = toIncidentBands([incident], { window: '24h', to: '', bucket_seconds: 3_600 })
    expect(band?.detail).toBe('No response. About 40 visits missed (28 to 54).')
  })
})

it('countDaysUntil counts whole days until a certificate expires, and is negative after that', () => {
  const now = Date.parse('2026-01-05T10:00:00Z')
  expect(countDaysUntil('2026-01-19T09:59:00Z', now)).toBe(13)
  expect(countDaysUntil('2026-01-05T11:00:00Z', now)).toBe(0)
  expect(countDaysUntil('2026-01-05T09:00:00Z', now)).toBe(-1)
})

it('describePending says what a pending monitor waits for', () => {
  const [beforeChange, statusChangedAt, afterChange] = [
    '2026-01-05T10:00:00.000Z',
    '2026-01-05T10:01:00.000Z',
    '2026-01-05T10:02:00.000Z',
  ]
  const describeMonitor = (last_checked_at: string | null, last_error: string | null) =>
    describePending({ type: 'http', status_changed_at: statusChangedAt, last_checked_at, last_error })
  expect(describeMonitor(null, null)).toBe('Waiting for the first check')
  expect(describeMonitor(beforeChange, null)).toBe('Waiting for the next check')
  expect(describeMonitor(beforeChange, 'it failed before the pause')).toBe('Waiting for the next check')
  expect(describeMonitor(afterChange, 'no response')).toBe('Check failed, retrying')
  const heartbeat = { type: 'heartbeat', status_changed_at: statusChangedAt, last_error: null } as const
  expect(describePending({ ...heartbeat, last_checked_at: null })).toBe('Waiting for the first beat')
  expect(describePending({ ...heartbeat, last_checked_at: beforeChange })).toBe('Waiting for the next beat')
})

it('describeIncident says how an incident ended and how long it lasted', () => {
  expect(describeIncident({ status: 'open', resolution: null }, 60)).toBe(`Ongoing for ${formatDurationSeconds(60)}`)
  expect(describeIncident({ status: 'resolved', resolution: 'recovered' }, 60)).toBe(
    `Resolved after ${formatDurationSeconds(60)}`,
  )
  expect(describeIncident({ status: 'resolved', resolution: 'paused' }, 60)).toBe(
    `Closed after ${formatDurationSeconds(60)}`,
  )
})
