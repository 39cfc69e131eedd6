import { describe, expect, it } from 'vitest'
import { type Outage, shadeOutages } from './outages.ts'

const now = Date.parse('2026-01-05T12:30Z')
const outage = (from: string, to?: string): Outage => ({
  name: 'Shop',
  from: Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
})

describe('times when a monitor was down', () => {
  it('are whole days by the clock of the website', () => {
    const slots = { unit: 'day' as const, names: ['2026-01-04', '2026-01-05', '2026-01-06'], timeZone: 'Europe/Berlin' }
    expect(shadeOutages(slots, [outage('2026-01-04T23:30Z', '2026-01-04T23:40Z')], now)).toEqual([
      { from: 1, to: 1, label: 'Shop was down' },
    ])
    expect(shadeOutages(slots, [outage('2026-01-01T00:00Z', '2026-01-05T22:59Z')], now)).toEqual([
      { from: 0, to: 1, label: 'Shop was down' },
    ])
  })

  it('end before the day or hour that begins as they end', () => {
    const days = { unit: 'day' as const, names: ['2026-01-04', '2026-01-05'], timeZone: 'UTC' }
    expect(shadeOutages(days, [outage('2026-01-04T20:00Z', '2026-01-05T00:00Z')], now)).toMatchObject([
      { from: 0, to: 0 },
    ])
    const hours = { unit: 'hour' as const, names: ['2026-01-05T00:00:00Z', '2026-01-05T01:00:00Z'], timeZone: 'UTC' }
    expect(shadeOutages(hours, [outage('2026-01-05T00:10Z', '2026-01-05T01:00Z')], now)).toMatchObject([
      { from: 0, to: 0 },
    ])
    expect(shadeOutages(hours, [outage('2026-01-05T01:00Z', '2026-01-05T01:00Z')], now)).toMatchObject([
      { from: 1, to: 1 },
    ])
  })

  it('are told apart where the clock shows an hour twice', () => {
    const names = ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00', '2026-10-25T03:00:00+01:00']
    const slots = { unit: 'hour' as const, names, timeZone: 'Europe/Berlin' }
    expect(shadeOutages(slots, [outage('2026-10-25T01:10Z', '2026-10-25T01:20Z')], now)).toMatchObject([
      { from: 1, to: 1 },
    ])
  })

  it('go on until now where nobody knows their end', () => {
    const names = ['2026-01-05T11:00:00Z', '2026-01-05T12:00:00Z', '2026-01-05T13:00:00Z']
    const slots = { unit: 'hour' as const, names, timeZone: 'UTC' }
    const open = outage('2026-01-05T11:10Z')
    expect(shadeOutages(slots, [open], now)).toMatchObject([{ from: 0, to: 1 }])
    expect(shadeOutages(slots, [open], now + 3_600_000)).toMatchObject([{ from: 0, to: 2 }])
  })

  it('outside of what is shown are left out', () => {
    const slots = { unit: 'day' as const, names: ['2026-01-05'], timeZone: 'UTC' }
    expect(shadeOutages(slots, [outage('2026-01-03T00:00Z', '2026-01-04T00:00Z')], now)).toEqual([])
  })
})
