import { describe, expect, it } from 'vitest'
import { findFirstWindow, findShortestPeriod, type Recurrence } from './recurrence.ts'

const sundayNight: Recurrence = { cron: '30 2 * * 0', timeZone: 'Europe/Berlin', durationSeconds: 7_200, until: null }

const find = (recurrence: Recurrence, from: string) => {
  const window = findFirstWindow(recurrence, new Date(from))
  return window && [window.startsAt.toISOString(), window.endsAt.toISOString()]
}

describe('findFirstWindow', () => {
  it('finds the first window at a time or later', () => {
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

  it('finds none that starts after the end of the recurrence', () => {
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
  ])('of %j in %s', (cron, timeZone, seconds) => {
    expect(findShortestPeriod({ ...sundayNight, cron, timeZone }, now)).toBe(seconds)
  })
})
