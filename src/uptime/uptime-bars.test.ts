import { describe, expect, it } from 'vitest'
import type { Spans } from './spans.ts'
import { listLastDays, toUptimeBars } from './uptime-bars.ts'

const at = (time: string) => Date.parse(`${time}Z`)
const forever = Number.POSITIVE_INFINITY

describe('the last days', () => {
  it('end with today in the given time zone', () => {
    const days = listLastDays(3, 'America/New_York', at('2026-01-05T02:00'))
    expect(days).toEqual({
      from: '2026-01-02',
      to: '2026-01-04',
      bounds: [at('2026-01-02T05:00'), at('2026-01-03T05:00'), at('2026-01-04T05:00'), at('2026-01-05T05:00')],
    })
  })

  it('follow daylight saving time', () => {
    const { bounds } = listLastDays(3, 'Europe/Berlin', at('2026-03-30T12:00'))
    expect(bounds.slice(1).map((end, day) => (end - (bounds[day] as number)) / 3_600_000)).toEqual([24, 23, 24])
  })
})

describe('uptime bars', () => {
  /** The bars cover the five days up to this time. In UTC, the last day is half over. */
  const now = at('2026-01-05T12:00')
  const computeBars = (monitoredSpans: Spans, incidents: Spans = [], zone = 'UTC') =>
    toUptimeBars(
      { monitoredSpans, incidentSpans: incidents, monitoredSince: monitoredSpans[0] ?? null },
      listLastDays(5, zone, now),
      now,
    )

  it('are empty for a monitor that was never active', () => {
    expect(computeBars([])).toEqual({ percent: null, days: '', monitoredMs: 0, downMs: 0, monitoredSince: null })
    expect(computeBars([at('2025-12-01T00:00'), at('2025-12-31T23:59')])).toMatchObject({
      percent: null,
      days: '',
    })
  })

  it('cover the days on which the monitor was active', () => {
    expect(computeBars([at('2025-06-01T00:00'), forever])).toMatchObject({ percent: 100, days: '0-4' })
    expect(computeBars([at('2026-01-02T23:59'), at('2026-01-03T00:01')]).days).toBe('1-2')
  })

  it('have gaps only for whole days', () => {
    const monitoredSpans = [
      at('2026-01-01T08:00'),
      at('2026-01-01T09:00'),
      at('2026-01-02T20:00'),
      at('2026-01-03T00:00'),
    ]
    expect(computeBars([...monitoredSpans, at('2026-01-05T11:00'), forever]).days).toBe('0-1,4-4')
  })

  it('show the downtime of each day, with ongoing incidents until now', () => {
    const incidents = [at('2026-01-02T10:00'), at('2026-01-02T10:05'), at('2026-01-03T23:00'), forever]
    const { days, percent } = computeBars([at('2026-01-01T00:00'), forever], incidents)
    // On the last day the monitor was active for 12 hours so far.
    expect(days).toBe('0-4;1:300:1,2:3600:1,3:86400:1,4:43200:1:43200')
    expect(percent).toBe(65.664)
  })

  it('sum incidents of the same day and count overlaps once', () => {
    const overlappingIncidents = [
      at('2026-01-02T10:00'),
      at('2026-01-02T10:05'),
      at('2026-01-02T10:03'),
      at('2026-01-02T10:06'),
    ]
    const laterIncident = [at('2026-01-02T15:00'), at('2026-01-02T15:01')]
    expect(computeBars([at('2026-01-01T00:00'), forever], [...overlappingIncidents, ...laterIncident]).days).toBe(
      '0-4;1:420:2',
    )
  })

  it('ignore downtime while the monitor was inactive', () => {
    const monitoredSpans = [at('2026-01-02T10:00'), at('2026-01-02T11:00')]
    const incidents = [at('2026-01-02T09:00'), at('2026-01-02T10:15'), at('2026-01-04T00:00'), at('2026-01-04T01:00')]
    expect(computeBars(monitoredSpans, incidents)).toMatchObject({ percent: 75, days: '1-1;1:900:1:3600' })
  })

  it('show downtime of less than a second', () => {
    const incidents = [at('2026-01-02T10:00'), at('2026-01-02T10:00') + 20]
    expect(computeBars([at('2026-01-01T00:00'), forever], incidents).days).toBe('0-4;1:1:1')
  })

  it('split downtime at midnight in the given time zone', () => {
    const incidents = [at('2026-01-02T23:30'), at('2026-01-03T00:30')]
    const monitoredSpans = [at('2026-01-01T00:00'), forever]
    expect(computeBars(monitoredSpans, incidents, 'UTC').days).toBe('0-4;1:1800:1,2:1800:1')
    expect(computeBars(monitoredSpans, incidents, 'Europe/Berlin').days).toBe('0-4;2:3600:1')
  })
})
