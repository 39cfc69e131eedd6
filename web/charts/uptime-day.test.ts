import { describe, expect, it } from 'vitest'
import { classifyDay, parseUptimeDays } from '../../src/shared/uptime-days.ts'
import { encodeDays } from './encode-days.ts'
import { describeDay } from './uptime-day.ts'

it('a list of days is encoded for the bars', () => {
  const up = { uptime_percent: 100, downtime_seconds: 0, incidents: 0, monitored_seconds: 86_400 }
  const idle = { ...up, uptime_percent: null, monitored_seconds: 0 }
  const down = { uptime_percent: 99.5, downtime_seconds: 432, incidents: 2, monitored_seconds: 86_400 }
  expect(encodeDays([idle, idle])).toBe('')
  expect(encodeDays([idle, up, up, idle, up])).toBe('1-2,4-4')
  expect(encodeDays([up, down, idle, down])).toBe('0-1,3-3;1:432:2:86400,3:432:2:86400')
})

describe('the days of an overview', () => {
  it('are parsed from their compact form', () => {
    expect(parseUptimeDays('')).toEqual({ activeRuns: [], downDays: [] })
    expect(parseUptimeDays('3-89')).toEqual({ activeRuns: [[3, 89]], downDays: [] })
    expect(parseUptimeDays('0-35,40-89;41:312:2,89:60:1:36000')).toEqual({
      activeRuns: [
        [0, 35],
        [40, 89],
      ],
      downDays: [
        { day: 41, seconds: 312, incidents: 2, monitoredSeconds: 86_400 },
        { day: 89, seconds: 60, incidents: 1, monitoredSeconds: 36_000 },
      ],
    })
  })
})

describe('a bar', () => {
  const days = parseUptimeDays('10-89;20:86:1,21:87:1,22:1799:3,23:1800:1,24:9:1:8000,89:600:1:1200')

  it.each([
    [9, 'idle'],
    [10, 'up'],
    [20, 'brief'],
    [21, 'partial'],
    [22, 'partial'],
    [23, 'down'],
    [24, 'partial'],
  ])('of day %i is %s: brief below a thousandth of the day, down from half an hour', (day, kind) => {
    expect(classifyDay(days, day)).toBe(kind)
  })

  it('is described by its date, uptime, incidents and downtime', () => {
    expect(describeDay(days, '2026-08-18', 22)).toMatchObject({
      uptime: '97.91%',
      note: '3 incidents, down for 29 min 59 s',
    })
    expect(describeDay(days, '2026-08-18', 22).title).toContain('2026')
    expect(describeDay(days, '2026-08-18', 30)).toMatchObject({ uptime: '100%', note: 'No downtime' })
    expect(describeDay(days, '2026-08-18', 0)).toMatchObject({ uptime: '–', note: 'Not monitored' })
    // The monitor has been active for 20 minutes today, and down for half of them.
    expect(describeDay(days, '2026-08-18', 89)).toMatchObject({ uptime: '50.00%', note: '1 incident, down for 10 min' })
    expect(describeDay(days, '2026-08-18', 89).title).toContain('today')
  })
})
