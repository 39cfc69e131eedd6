import { describe, expect, it } from 'vitest'
import {
  describeAlarms,
  describeDetection,
  describeExcess,
  describePeriod,
  describeRefusal,
  describeSlowness,
} from './replay-words.ts'

const alarm = {
  started_at: '2026-03-03T03:00:00.000Z',
  alerted_at: '2026-03-03T04:12:00.000Z',
  ended_at: '2026-03-03T08:00:00.000Z',
  gap_minutes: 300,
}
const replay = {
  alarms: [alarm, alarm],
  weeks_replayed: 52,
  website_alarms_a_year: 0.5,
  detection_minutes: { day: 35, night: 240 },
}

describe('the words about a replay', () => {
  it('say how often Belfry would have alerted', () => {
    expect(describeAlarms(replay)).toBe('In the last 12 months, Belfry would have alerted you 2 times.')
    expect(describeAlarms({ ...replay, alarms: [alarm] })).toBe(
      'In the last 12 months, Belfry would have alerted you once.',
    )
    expect(describeAlarms({ ...replay, alarms: [] })).toBe('In the last 12 months, Belfry would not have alerted you.')
  })

  it('name a period of less than a year in weeks', () => {
    expect(describePeriod({ weeks_replayed: 51.9 })).toBe('12 months')
    expect(describePeriod({ weeks_replayed: 9.6 })).toBe('10 weeks')
    expect(describePeriod({ weeks_replayed: 0.2 })).toBe('1 week')
  })

  it('say how long an alert takes by day and by night', () => {
    const describeDelays = (day: number | null, night: number | null) =>
      describeDetection({ ...replay, detection_minutes: { day, night } })
    const start = 'If all visits stop, you would be alerted after about'
    expect(describeDelays(36, 240)).toBe(`${start} 35 minutes in the daytime, and about 4 hours at night.`)
    expect(describeDelays(36, null)).toBe(`${start} 35 minutes in the daytime.`)
    expect(describeDelays(58, 92)).toBe(`${start} 1 hour in the daytime, and about 1.5 hours at night.`)
    expect(describeDelays(4_300, 4_350)).toBe(`${start} 3 days.`)
    expect(describeDelays(null, null)).toBeUndefined()
  })

  it('warn if an alert takes hours in the daytime', () => {
    expect(describeSlowness(replay)).toBeUndefined()
    expect(describeSlowness({ ...replay, detection_minutes: { day: 180, night: 600 } })).toMatch(/^With .* hours are/)
    expect(describeSlowness({ ...replay, detection_minutes: { day: 2_000, night: 2_000 } })).toMatch(/days are/)
  })

  it('compare too many alerts with the false alarms that the website may cause', () => {
    expect(describeExcess(replay, false)).toBe(
      "In the last 12 months, Belfry would have alerted you 2 times. That is too often: this website may cause 0.5 false alarms a year, so you can't turn these alerts on.",
    )
    expect(describeExcess({ ...replay, website_alarms_a_year: 1 }, true)).toMatch(/may cause 1 false alarm a year\.$/)
  })

  it("don't name fields of the API", () => {
    expect(describeRefusal(['Its share of `silence_alarms_a_year` is 1.'])).toEqual([
      'Its share of the false alarms allowed is 1.',
    ])
  })
})
