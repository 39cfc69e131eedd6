import { describe, expect, it } from 'vitest'
import { formatWallClock } from '../../lib/format.ts'
import { buildWeeklyCron, describeRecurrence, parseWeeklyCron } from './schedule.ts'

const describeCron = (cron: string, duration_seconds = 3_600) =>
  describeRecurrence({ cron, time_zone: 'America/New_York', duration_seconds, until: null })
/** Formats the times in a text as the browser's language does, such as 02:00 or 2:00 AM. */
const formatTimes = (text: string) => text.replace(/\d\d:\d\d/g, (time) => formatWallClock(`2000-01-01T${time}`))

describe('a recurring maintenance', () => {
  it.each([
    ['0 2 * * 0', 'Every Sunday 02:00–03:00 America/New York'],
    ['0 2 * * 7', 'Every Sunday 02:00–03:00 America/New York'],
    ['30 23 * * 1-5', 'Every weekday 23:30–00:30 America/New York'],
    ['5 4 * * *', 'Every day 04:05–05:05 America/New York'],
    ['0 2 * * 4,1,6', 'Every Monday, Thursday and Saturday 02:00–03:00 America/New York'],
    ['15 3 28 * *', 'On day 28 of every month 03:15–04:15 America/New York'],
    ['*/30 2 * * *', 'At */30 2 * * * (cron) for 1 h America/New York'],
    ['@daily', 'At @daily (cron) for 1 h America/New York'],
  ])('with %j is described as “%s”', (cron, text) => {
    expect(describeCron(cron)).toBe(formatTimes(text))
  })

  it('of a day or longer has a duration instead of an end', () => {
    const text = formatTimes('Every Friday 18:00 for 2 days 12 h America/New York')
    expect(describeCron('0 18 * * 5', 216_000)).toBe(text)
  })

  it('is edited as days and a time if its expression contains nothing else', () => {
    expect(parseWeeklyCron('5 2 * * 5-7,1')).toEqual({ days: [1, 5, 6, 0], time: '02:05' })
    expect(parseWeeklyCron('5 2 1 * *')).toBeUndefined()
    expect(buildWeeklyCron({ days: [1, 5, 0], time: '02:05' })).toBe('5 2 * * 0,1,5')
    expect(buildWeeklyCron({ days: [0, 1, 2, 3, 4, 5, 6], time: '23:00' })).toBe('0 23 * * *')
  })
})
