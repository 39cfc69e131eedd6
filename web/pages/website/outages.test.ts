import { describe, expect, it } from 'vitest'
import { type MonitorOutage, shadeOutages } from './outages.ts'

const now = Date.parse('2026-01-05T12:30Z')
const createOutage = (from: string, to?: string): MonitorOutage => ({
  monitorName: 'Shop',
  from: Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
})

describe('shaded outages', () => {
  it('cover whole days in the time zone of the website', () => {
    const slots = {
      unit: 'day' as const,
      starts: ['2026-01-04', '2026-01-05', '2026-01-06'],
      timeZone: 'Europe/Berlin',
    }
    expect(shadeOutages(slots, [createOutage('2026-01-04T23:30Z', '2026-01-04T23:40Z')], now)).toEqual([
      { from: 1, to: 1, label: 'Shop was down' },
    ])
    expect(shadeOutages(slots, [createOutage('2026-01-01T00:00Z', '2026-01-05T22:59Z')], now)).toEqual([
      { from: 0, to: 1, label: 'Shop was down' },
    ])
  })

  it('exclude the day or hour that starts when the outage ends', () => {
    const days = { unit: 'day' as const, starts: ['2026-01-04', '2026-01-05'], timeZone: 'UTC' }
    expect(shadeOutages(days, [createOutage('2026-01-04T20:00Z', '2026-01-05T00:00Z')], now)).toMatchObject([
      { from: 0, to: 0 },
    ])
    const hours = { unit: 'hour' as const, starts: ['2026-01-05T00:00:00Z', '2026-01-05T01:00:00Z'], timeZone: 'UTC' }
    expect(shadeOutages(hours, [createOutage('2026-01-05T00:10Z', '2026-01-05T01:00Z')], now)).toMatchObject([
      { from: 0, to: 0 },
    ])
    expect(shadeOutages(hours, [createOutage('2026-01-05T01:00Z', '2026-01-05T01:00Z')], now)).toMatchObject([
      { from: 1, to: 1 },
    ])
  })

  it('distinguish the two identical hours when daylight saving time ends', () => {
    const starts = ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00', '2026-10-25T03:00:00+01:00']
    const slots = { unit: 'hour' as const, starts, timeZone: 'Europe/Berlin' }
    expect(shadeOutages(slots, [createOutage('2026-10-25T01:10Z', '2026-10-25T01:20Z')], now)).toMatchObject([
      { from: 1, to: 1 },
    ])
  })

  it('extend to the current hour while the outage is ongoing', () => {
    const starts = ['2026-01-05T11:00:00Z', '2026-01-05T12:00:00Z', '2026-01-05T13:00:00Z']
    const slots = { unit: 'hour' as const, starts, timeZone: 'UTC' }
    const ongoing = createOutage('2026-01-05T11:10Z')
    expect(shadeOutages(slots, [ongoing], now)).toMatchObject([{ from: 0, to: 1 }])
    expect(shadeOutages(slots, [ongoing], now + 3_600_000)).toMatchObject([{ from: 0, to: 2 }])
  })

  it('are omitted if they are outside the chart', () => {
    const slots = { unit: 'day' as const, starts: ['2026-01-05'], timeZone: 'UTC' }
    expect(shadeOutages(slots, [createOutage('2026-01-03T00:00Z', '2026-01-04T00:00Z')], now)).toEqual([])
  })
})
