import { describe, expect, it } from 'vitest'
import { describeAlarms, describeDetection, describeExcess, describePeriod, isSlow } from './replay-words.ts'

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
  it('say how often it would have alerted', () => {
    expect(describeAlarms(replay)).toBe('In the last 12 months, it would have alerted 2 times.')
    expect(describeAlarms({ ...replay, alarms: [alarm] })).toBe('In the last 12 months, it would have alerted once.')
    expect(describeAlarms({ ...replay, alarms: [] })).toBe('In the last 12 months, it would never have alerted.')
  })

  it('name a shorter period in weeks', () => {
    expect(describePeriod({ weeks_replayed: 9.6 })).toBe('10 weeks')
    expect(describePeriod({ weeks_replayed: 0.2 })).toBe('1 week')
  })

  it('say how long an alert takes by day and by night', () => {
    expect(describeDetection(replay)).toBe(
      'If all visits stop, an alert follows after about 35m in the daytime, and 4h at night.',
    )
    expect(describeDetection({ ...replay, detection_minutes: { day: 35, night: null } })).toBe(
      'If all visits stop, an alert follows after about 35m in the daytime.',
    )
    expect(describeDetection({ ...replay, detection_minutes: { day: null, night: null } })).toBeUndefined()
  })

  it('call an alert slow that takes hours in the daytime', () => {
    expect(isSlow(replay)).toBe(false)
    expect(isSlow({ ...replay, detection_minutes: { day: 180, night: 600 } })).toBe(true)
  })

  it('compare too many alerts with the share of the website', () => {
    expect(describeExcess(replay)).toBe(
      'In the last 12 months, it would have alerted 2 times. That is more than its share of your limit, 0.5 a year: the visits of this website are too irregular.',
    )
  })
})
