import { describe, expect, it } from 'vitest'
import { measureCpuMs } from '../../tests/support/cpu-time.ts'
import { findFirstWindow, findShortestPeriod, type Recurrence } from './recurrence.ts'

const sundayNight: Recurrence = { cron: '30 2 * * 0', timeZone: 'Europe/Berlin', durationSeconds: 7_200, until: null }

const find = (recurrence: Recurrence, from: string) => {
  const window = findFirstWindow(recurrence, new Date(from))
  return window && [window.startsAt.toISOString(), window.endsAt.toISOString()]
}

describe('findFirstWindow', () => {
  it('finds the first window at the given time or later', () => {
    const window = ['2026-01-11T01:30:00.000Z', '2026-01-11T03:30:00.000Z']
    expect(find(sundayNight, '2026-01-05T10:00:00Z')).toEqual(window)
    expect(find(sundayNight, '2026-01-11T01:30:00Z')).toEqual(window)
    expect(find(sundayNight, '2026-01-11T01:30:00.001Z')?.[0]).toBe('2026-01-18T01:30:00.000Z')
  })

  it('keeps the local time and the length across the changes to and from summer time', () => {
    // Clocks in Berlin go forward at 01:00 UTC on 29 March 2026, and back at 01:00 UTC on 25 October.
    expect(find(sundayNight, '2026-03-23T00:00:00Z')).toEqual(['2026-03-29T01:00:00.000Z', '2026-03-29T03:00:00.000Z'])
    expect(find(sundayNight, '2026-03-30T00:00:00Z')).toEqual(['2026-04-05T00:30:00.000Z', '2026-04-05T02:30:00.000Z'])
    expect(find(sundayNight, '2026-10-20T00:00:00Z')).toEqual(['2026-10-25T00:30:00.000Z', '2026-10-25T02:30:00.000Z'])
    expect(find(sundayNight, '2026-10-25T00:30:01Z')).toEqual(['2026-11-01T01:30:00.000Z', '2026-11-01T03:30:00.000Z'])
  })

  it('finds no window that starts after the end of the recurrence', () => {
    const until = new Date('2026-01-11T01:30:00Z')
    expect(find({ ...sundayNight, until }, '2026-01-05T10:00:00Z')?.[0]).toBe('2026-01-11T01:30:00.000Z')
    expect(find({ ...sundayNight, until }, '2026-01-12T00:00:00Z')).toBeUndefined()
  })
})

describe('findShortestPeriod', () => {
  const now = new Date('2026-01-05T10:00:00Z')

  it.each([
    ['*/15 * * * *', 'UTC', 900],
    ['0 2,5 * * 1', 'UTC', 3 * 3_600],
    ['30 2 * * *', 'UTC', 86_400],
    // In spring, the night in which clocks go forward is an hour shorter.
    ['0 12 * * *', 'Europe/Berlin', 82_800],
    ['0 12 * * *', 'Asia/Kolkata', 86_400],
    ['0 12 * * 0', 'Europe/Berlin', 7 * 86_400 - 3_600],
    ['0 1,3 * * *', 'Europe/Berlin', 3_600],
    ['*/15 * * * *', 'Europe/Berlin', 900],
    // The time is skipped, so the window begins when clocks change.
    ['30 2 * * *', 'Europe/Berlin', 84_600],
    // Clocks show 2:00 twice in autumn, an hour apart.
    ['0 0,2 * * *', 'Europe/Berlin', 3_600],
    ['0 12 * * *', 'Australia/Lord_Howe', 84_600],
    // Clocks go forward and back between two windows, so the periods are whole days.
    ['0 0 1 1 *', 'Europe/Berlin', 365 * 86_400],
    ['0 0 29 2 *', 'America/New_York', 1_461 * 86_400],
    ['0 9 29,1 2,3 *', 'UTC', 86_400],
    ['0 0 29 2 +1', 'UTC', Number.POSITIVE_INFINITY],
  ])('finds the shortest period between windows of %j in %s', (cron, timeZone, seconds) => {
    expect(findShortestPeriod({ ...sundayNight, cron, timeZone }, now)).toBe(seconds)
  })

  it.each([
    ['0 3 * * *', 'America/New_York'],
    ['30 2 * * *', 'Europe/Berlin'],
    ['0 1,3 * * 0', 'Europe/Berlin'],
    ['*/20 2 * * 0', 'America/New_York'],
    ['15 */6 1-7 * *', 'Asia/Beirut'],
    ['0 22 * * 1-5', 'Africa/Casablanca'],
    ['5 0 * * 5,6', 'Asia/Beirut'],
  ])('finds the same period of %j in %s as a search through all times', (cron, timeZone) => {
    const recurrence = { ...sundayNight, cron, timeZone }
    const starts: number[] = []
    for (let from = now; from.getTime() < now.getTime() + 400 * 86_400_000; ) {
      const start = findFirstWindow(recurrence, from)?.startsAt as Date
      starts.push(start.getTime())
      from = new Date(start.getTime() + 1)
    }
    const periods = starts.slice(1).map((start, index) => (start - (starts[index] as number)) / 1_000)
    expect(findShortestPeriod(recurrence, now)).toBe(Math.min(...periods))
  })

  it.each(['* * * * *', '0 0 * * *', '0 0 * * 1#5', '0 2 L * +1'])(
    'finds the shortest period of %j within 20 ms of CPU time',
    (cron) => {
      const recurrence = { ...sundayNight, cron, timeZone: 'America/New_York' }
      expect(measureCpuMs(() => findShortestPeriod(recurrence, now))).toBeLessThan(20)
    },
  )
})
