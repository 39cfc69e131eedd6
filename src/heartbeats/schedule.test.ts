import { describe, expect, it } from 'vitest'
import { type BeatSchedule, findExpectedAfter, findExpectedAt, toBeatSchedule, toDeadline } from './schedule.ts'

const hourly: BeatSchedule = { periodMs: 3_600_000, cron: null, timeZone: 'UTC', graceMs: 300_000 }
const nightly = (timeZone: string, cron = '30 2 * * *'): BeatSchedule => ({
  periodMs: null,
  cron,
  timeZone,
  graceMs: 300_000,
})
const expectedAt = (schedule: BeatSchedule, lastBeatAt: string) =>
  findExpectedAt(schedule, new Date(lastBeatAt)).toISOString()

describe('the next beat', () => {
  it('is expected one period after the last beat', () => {
    expect(expectedAt(hourly, '2026-01-05T10:07:12.345Z')).toBe('2026-01-05T11:07:12.345Z')
  })

  it('is expected at the next scheduled time', () => {
    expect(expectedAt(nightly('UTC'), '2026-01-05T02:31:00Z')).toBe('2026-01-06T02:30:00.000Z')
    expect(expectedAt(nightly('Asia/Kolkata'), '2026-01-05T02:31:00Z')).toBe('2026-01-05T21:00:00.000Z')
  })

  it('may be a few seconds early for a scheduled time, because the clock of the machine may be ahead', () => {
    expect(expectedAt(nightly('UTC'), '2026-01-05T02:29:55Z')).toBe('2026-01-06T02:30:00.000Z')
    expect(expectedAt(nightly('UTC'), '2026-01-05T02:29:45Z')).toBe('2026-01-05T02:30:00.000Z')
  })

  it('is expected at the local time across both changes of daylight saving', () => {
    const berlin = nightly('Europe/Berlin', '30 3 * * *')
    // On 29 March 2026 the clocks in Berlin go from 02:00 to 03:00, on 25 October from 03:00 back to 02:00.
    expect(expectedAt(berlin, '2026-03-28T02:31:00Z')).toBe('2026-03-29T01:30:00.000Z')
    expect(expectedAt(berlin, '2026-10-24T01:31:00Z')).toBe('2026-10-25T02:30:00.000Z')
    expect(expectedAt(berlin, '2026-10-25T02:31:00Z')).toBe('2026-10-26T02:30:00.000Z')
  })

  it('is expected once on a day that skips or repeats its hour', () => {
    const berlin = nightly('Europe/Berlin')
    const spring = expectedAt(berlin, '2026-03-28T01:31:00Z')
    expect(spring.slice(0, 10)).toBe('2026-03-29')
    expect(expectedAt(berlin, new Date(Date.parse(spring) + 60_000).toISOString())).toBe('2026-03-30T00:30:00.000Z')
    const autumn = expectedAt(berlin, '2026-10-24T00:31:00Z')
    expect(autumn.slice(0, 10)).toBe('2026-10-25')
    expect(expectedAt(berlin, new Date(Date.parse(autumn) + 60_000).toISOString())).toBe('2026-10-26T01:30:00.000Z')
  })

  it('is expected a whole number of periods after the last beat, even if beats were missed', () => {
    const nextAt = (schedule: BeatSchedule, now: string) =>
      findExpectedAfter(schedule, new Date('2026-01-05T10:07:00Z'), new Date(now)).toISOString()
    expect(nextAt(hourly, '2026-01-05T10:30:00Z')).toBe('2026-01-05T11:07:00.000Z')
    // The beat that is expected at 11:07 has its deadline at 11:12:01.
    expect(nextAt(hourly, '2026-01-05T11:12:00.999Z')).toBe('2026-01-05T11:07:00.000Z')
    expect(nextAt(hourly, '2026-01-05T11:12:01Z')).toBe('2026-01-05T12:07:00.000Z')
    expect(nextAt(hourly, '2026-01-05T15:00:00Z')).toBe('2026-01-05T15:07:00.000Z')
    expect(nextAt(nightly('UTC'), '2026-01-08T12:00:00Z')).toBe('2026-01-09T02:30:00.000Z')
    expect(nextAt(nightly('UTC'), '2026-01-08T02:32:00Z')).toBe('2026-01-08T02:30:00.000Z')
  })

  it('has a deadline after the grace and a second for storing the beat', () => {
    expect(toDeadline(hourly, new Date('2026-01-05T11:00:00Z')).toISOString()).toBe('2026-01-05T11:05:01.000Z')
  })
})

describe('a schedule', () => {
  it('uses the time zone of the server unless it has its own', () => {
    const options = { period: null, cron: '0 0 * * *', time_zone: null, grace: 60 }
    expect(toBeatSchedule(options, 'Europe/Berlin')).toEqual({
      periodMs: null,
      cron: '0 0 * * *',
      timeZone: 'Europe/Berlin',
      graceMs: 60_000,
    })
    expect(toBeatSchedule({ ...options, time_zone: 'Asia/Tokyo' }, 'UTC').timeZone).toBe('Asia/Tokyo')
  })
})
