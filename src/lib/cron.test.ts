import { Cron } from 'croner'
import { describe, expect, it } from 'vitest'
import { measureCpuMs } from '../../tests/support/cpu-time.ts'
import { findNextTime, parseCron } from './cron.ts'

const allNearestWeekdays = Array.from({ length: 26 }, (_, n) => `${n + 1}W`).join(',')

describe('parseCron', () => {
  it.each([
    ['30 2 * * *', '30 2 * * *'],
    ['  */5  *  * * 1-5 ', '*/5 * * * 1-5'],
    ['@daily', '@daily'],
  ])('accepts %j', (text, value) => {
    expect(parseCron(text)).toEqual({ value })
  })

  it.each(['', '* * * *', '* * * * * *', '61 * * * *', '@reboot', 'daily'])('rejects %j', (text) => {
    expect(parseCron(text)).toEqual({ errors: ['must be a cron expression with five fields, such as 30 2 * * *'] })
  })

  it.each(['0 0 29 2 +1', '0 0 29 2 +0#5', '0 0 31 1,2 *', '0 0 LW 2 +5'])(
    'accepts %j, which occurs rarely',
    (value) => {
      expect(parseCron(value)).toEqual({ value })
    },
  )

  it.each([
    '0 0 31 2 *',
    '0 0 30 2 *',
    '0 0 31 4,6,9,11 *',
    '0 0 31 12 +6#1',
    '0 0 5W * +0#1',
    `* * ${allNearestWeekdays} * +0`,
  ])('rejects %j, which never occurs', (text) => {
    expect(parseCron(text)).toEqual({ errors: ['must be a cron expression that matches a future date'] })
  })
})

describe('an expensive cron expression', () => {
  it.each([
    '* * * * *',
    '0 0 31 12 +6#1',
    '0 0 5W * +0#1',
    `* * ${allNearestWeekdays} * +0#1`,
    `${'0-59,'.repeat(14)}* * * * *`,
  ])('%j keeps the thread busy for less than 20 ms', (expression) => {
    expect(measureCpuMs(() => parseCron(expression))).toBeLessThan(20)
    const after = new Date('2026-01-05T10:00:00Z')
    expect(measureCpuMs(() => findNextTime(expression, 'America/New_York', after))).toBeLessThan(20)
  })
})

describe('findNextTime', () => {
  const next = (cron: string, zone: string, after: string) => findNextTime(cron, zone, new Date(after))?.toISOString()

  it('finds times in the given time zone', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-07-01T12:00:00Z')).toBe('2026-07-02T00:30:00.000Z')
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-12-01T12:00:00Z')).toBe('2026-12-02T01:30:00.000Z')
  })

  it('returns the moment of the change if clocks skip the time', () => {
    // On 29 March 2026, clocks in Berlin go from 2:00 to 3:00 at 01:00 UTC.
    const first = next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z') ?? ''
    expect(first).toBe('2026-03-29T01:00:00.000Z')
    expect(next('30 2 * * *', 'Europe/Berlin', first)).toBe('2026-03-30T00:30:00.000Z')
  })

  it('returns a time only once if clocks repeat it', () => {
    // On 25 October 2026, clocks in Berlin go from 3:00 back to 2:00 at 01:00 UTC.
    const first = next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z') ?? ''
    expect(first).toBe('2026-10-25T00:30:00.000Z')
    expect(next('30 2 * * *', 'Europe/Berlin', first)).toBe('2026-10-26T01:30:00.000Z')
  })

  // croner alone finds the same times, but it takes 160 ms for some of these expressions.
  const expressions = [
    '* * * * *',
    '*/7 */5 * * *',
    '0,30 2 * * *',
    '30 2 * * *',
    '0 0 * * *',
    '@hourly',
    '@monthly',
    '0 0 29 2 *',
    '0 12 29 2 +1',
    '0 9 * * 1#5',
    '0 9 L * *',
    '0 9 LW * *',
    '15 9 15W * *',
    '0 9 13 * 5',
    '0 9 13 * +5',
    '0 9 1,15 */3 MON-FRI',
    '0 2 L * +1',
  ]
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'Pacific/Apia']
  const times = ['2026-01-05T10:00:00Z', '2026-03-29T00:45:00Z', '2026-10-25T00:15:30Z', '2027-12-31T23:59:59.999Z']

  it.each(expressions)('finds the same times as croner for %j', (expression) => {
    for (const timezone of zones) {
      for (const time of times) {
        let after = new Date(time)
        for (let n = 0; n < 3; n++) {
          const expected = new Cron(expression, { paused: true, mode: '5-part', timezone }).nextRun(after)
          expect([timezone, after, findNextTime(expression, timezone, after)]).toEqual([timezone, after, expected])
          after = expected as Date
        }
      }
    }
  })

  it('finds no time if clocks skip every time of the matching days', () => {
    // If 29 March is a Sunday, it is the last Sunday of the month, on which clocks in Berlin go from 2:00 to 3:00.
    expect(next('0,30 2 29 3 +0', 'Europe/Berlin', '2026-01-05T10:00:00Z')).toBeUndefined()
    expect(next('0,30 2 29 3 +0', 'UTC', '2026-01-05T10:00:00Z')).toBe('2026-03-29T02:00:00.000Z')
  })
})
