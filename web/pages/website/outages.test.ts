import { describe, expect, it } from 'vitest'
import type { Impact } from '../../../src/shared/impact.ts'
import { type ChartSlots, createOutageBands, describeOutages, type MonitorOutage } from './outages.ts'

const now = Date.parse('2026-01-05T12:30Z')
const createOutage = (from: string, to?: string): MonitorOutage => ({
  monitorId: 3,
  monitorName: 'Shop',
  incidentId: 5,
  cause: 'timeout',
  from: Date.parse(from),
  to: to === undefined ? undefined : Date.parse(to),
  impact: null,
  diagnosis: null,
})
const createSlots = (unit: ChartSlots['unit'], starts: string[], timeZone = 'UTC', to = starts.at(-1) ?? '') => ({
  unit,
  starts,
  timeZone,
  range: { from: (starts[0] ?? '').slice(0, 10), to: to.slice(0, 10) },
})

describe('bands of outages', () => {
  it('are in proportion to their length, in the time zone of the website', () => {
    const slots = createSlots('day', ['2026-01-03', '2026-01-04', '2026-01-05'], 'Europe/Berlin')
    expect(createOutageBands(slots, [createOutage('2026-01-03T23:00Z', '2026-01-04T05:00Z')], now)).toEqual([
      {
        from: 1,
        to: 1.25,
        title: 'Shop was down',
        detail: expect.stringMatching(/^Timeout, .*4.*(00:00|12:00.AM), for 6 h$/),
        href: '/incidents/5',
      },
    ])
  })

  it('are cut off at the edges of the chart, and omitted outside of it', () => {
    const slots = createSlots('day', ['2026-01-04', '2026-01-05'])
    expect(createOutageBands(slots, [createOutage('2026-01-01T00:00Z', '2026-01-04T12:00Z')], now)).toMatchObject([
      { from: 0, to: 0.5 },
    ])
    expect(createOutageBands(slots, [createOutage('2026-01-02T00:00Z', '2026-01-04T00:00Z')], now)).toEqual([])
    expect(createOutageBands(slots, [createOutage('2026-01-06T00:00Z', '2026-01-07T00:00Z')], now)).toEqual([])
  })

  it('distinguish the two identical hours when daylight saving time ends', () => {
    const starts = ['2026-10-25T02:00:00+02:00', '2026-10-25T02:00:00+01:00', '2026-10-25T03:00:00+01:00']
    const slots = createSlots('hour', starts, 'Europe/Berlin')
    expect(createOutageBands(slots, [createOutage('2026-10-25T01:15Z', '2026-10-25T01:30Z')], now)).toMatchObject([
      { from: 1.25, to: 1.5 },
    ])
  })

  it('end now while the outage is ongoing', () => {
    const starts = ['2026-01-05T11:00:00Z', '2026-01-05T12:00:00Z', '2026-01-05T13:00:00Z']
    const [band] = createOutageBands(createSlots('hour', starts), [createOutage('2026-01-05T11:30Z')], now)
    expect(band).toMatchObject({
      from: 0.5,
      to: 1.5,
      title: 'Shop is down',
      detail: expect.stringMatching(/ongoing for 1 h$/),
    })
  })

  it('are placed within weeks and months, including weeks and months that the range cuts off', () => {
    const weeks = createSlots('week', ['2025-12-22', '2025-12-29', '2026-01-05'])
    expect(createOutageBands(weeks, [createOutage('2025-12-29T00:00Z', '2026-01-01T12:00Z')], now)).toMatchObject([
      { from: 1, to: 1.5 },
    ])
    const months = createSlots('month', ['2025-12-17', '2026-01-01'], 'UTC', '2026-01-04')
    expect(createOutageBands(months, [createOutage('2025-12-17T00:00Z', '2026-01-02T00:00Z')], now)).toMatchObject([
      { from: 0, to: 1.25 },
    ])
  })

  it('say how many visits were missed', () => {
    const impact: Impact = {
      visits_expected: 43,
      visits_low: 31,
      visits_high: 57,
      visits_seen: 0,
      visits_missed: 43,
      visits_missed_low: 31,
      visits_missed_high: 57,
      confidence: 0.9,
      basis: 'profile',
    }
    const slots = createSlots('day', ['2026-01-03', '2026-01-04'])
    const outage = createOutage('2026-01-03T10:00Z', '2026-01-03T16:00Z')
    const [band] = createOutageBands(slots, [{ ...outage, impact }], now)
    expect(band?.detail).toMatch(/, for 6 h\. About 43 visits missed \(31 to 57\)$/)
    const unknownImpact = { ...impact, visits_missed: null, basis: 'too_little_traffic' as const }
    expect(createOutageBands(slots, [{ ...outage, impact: unknownImpact }], now)[0]?.detail).toMatch(/, for 6 h$/)
  })

  it('of a silence say why there are no visits, but not that the website is down', () => {
    const slots = createSlots('day', ['2026-01-03', '2026-01-04'])
    const silence = { ...createOutage('2026-01-03T10:00Z', '2026-01-03T16:00Z'), cause: 'silence' as const }
    const [band] = createOutageBands(slots, [{ ...silence, diagnosis: 'snippet_missing' }], now)
    expect(band).toMatchObject({ title: 'No visits', detail: expect.stringMatching(/^Snippet missing, .*, for 6 h$/) })
    expect(createOutageBands(slots, [silence], now)[0]?.detail).toMatch(/^3 Jan|^Jan 3/)
  })
})

describe('the sum of outages', () => {
  const sum = {
    outages: 2,
    downtime_seconds: 840,
    visits_missed: 140,
    visits_missed_low: 95,
    visits_missed_high: 190,
    outages_without_estimate: 0,
  }

  it('says how long the outages lasted, and how many visits they cost', () => {
    expect(describeOutages(sum)).toBe('2 outages, 14 min in total, about 140 visits missed (95 to 190)')
    expect(describeOutages({ ...sum, outages: 1 })).toBe('1 outage, 14 min, about 140 visits missed (95 to 190)')
  })

  it('says how many outages have no estimate', () => {
    expect(describeOutages({ ...sum, visits_missed: null })).toBe('2 outages, 14 min in total')
    expect(describeOutages({ ...sum, outages_without_estimate: 1 })).toMatch(
      /\(95 to 190\), not counting 1 outage without an estimate$/,
    )
  })
})
