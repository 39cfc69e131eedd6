import { describe, expect, it } from 'vitest'
import { HOUR_MS } from '../shared/time.ts'
import { toBucket } from './histogram.ts'
import { buildSeries, type CheckTotals, summarize } from './series.ts'

const createTotals = (at: string, failedCount: number, ...times: number[]): CheckTotals => ({
  startsAt: new Date(`2026-01-05T${at}:00.000Z`),
  total: times.length + failedCount,
  failed: failedCount,
  sumMs: times.reduce((sum, ms) => sum + ms, 0),
  buckets: times.map(toBucket),
  counts: times.map(() => 1),
})
const createWindow = (from: string, to: string) => ({
  from: new Date(`2026-01-05T${from}:00.000Z`),
  to: new Date(`2026-01-05T${to}:00.000Z`),
})
const noChecks = { total: 0, failed: 0, avg_ms: null, p50_ms: null, p95_ms: null, p99_ms: null }

describe('response figures', () => {
  it('have no times if no check got a response', () => {
    expect(summarize([])).toEqual(noChecks)
    expect(summarize([createTotals('10:00', 3)])).toEqual({ ...noChecks, total: 3, failed: 3 })
  })

  it('combine all totals', () => {
    const figures = summarize([
      createTotals('10:00', 1, 10, 20),
      createTotals('10:00', 0, 30),
      createTotals('11:00', 0, 61),
    ])
    expect(figures).toEqual({ total: 5, failed: 1, avg_ms: 30, p50_ms: 20, p95_ms: 61, p99_ms: 61 })
  })
})

describe('a series', () => {
  it('contains every hour of the window, including hours without checks', () => {
    const hourlyTotals = [createTotals('08:00', 0, 10), createTotals('10:00', 0, 20), createTotals('10:00', 1)]
    expect(buildSeries(hourlyTotals, createWindow('08:30', '11:00'), HOUR_MS)).toEqual([
      { starts_at: '2026-01-05T08:00:00.000Z', total: 1, failed: 0, avg_ms: 10, p50_ms: 10, p95_ms: 10, p99_ms: 10 },
      { starts_at: '2026-01-05T09:00:00.000Z', ...noChecks },
      { starts_at: '2026-01-05T10:00:00.000Z', total: 2, failed: 1, avg_ms: 20, p50_ms: 20, p95_ms: 20, p99_ms: 20 },
      { starts_at: '2026-01-05T11:00:00.000Z', ...noChecks },
    ])
  })

  it('combines the hours of a day', () => {
    const days = buildSeries(
      [createTotals('08:00', 0, 10), createTotals('23:00', 0, 30)],
      createWindow('00:00', '23:59'),
      24 * HOUR_MS,
    )
    expect(days).toMatchObject([{ starts_at: '2026-01-05T00:00:00.000Z', total: 2, avg_ms: 20 }])
  })
})
