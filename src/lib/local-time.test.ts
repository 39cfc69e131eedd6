import { describe, expect, it } from 'vitest'
import { formatLocalTime } from './local-time.ts'

describe('a local time', () => {
  it.each([
    ['2026-01-05T10:00:00.900Z', 'UTC', '5 Jan 2026, 10:00:00 UTC'],
    ['2026-01-05T23:30:05.000Z', 'Europe/Berlin', '6 Jan 2026, 00:30:05 (Europe/Berlin, UTC+1)'],
    ['2026-07-05T10:00:00.000Z', 'Europe/Berlin', '5 Jul 2026, 12:00:00 (Europe/Berlin, UTC+2)'],
    ['2026-01-05T10:00:00.000Z', 'America/St_Johns', '5 Jan 2026, 06:30:00 (America/St_Johns, UTC−3:30)'],
    ['2026-01-05T10:00:00.000Z', 'Africa/Abidjan', '5 Jan 2026, 10:00:00 (Africa/Abidjan, UTC)'],
    // In 1900, the offset of Amsterdam had seconds.
    ['1900-01-05T10:00:00.000Z', 'Europe/Amsterdam', expect.stringMatching(/^5 Jan 1900, 10:\d\d:\d\d \(/)],
  ])('of %s in %s is %s', (at, zone, text) => expect(formatLocalTime(new Date(at), zone)).toEqual(text))

  it('distinguishes the repeated hour of the night in which clocks go back', () => {
    const [first, second] = ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map((at) =>
      formatLocalTime(new Date(at), 'Europe/Berlin'),
    )
    expect([first, second]).toEqual([
      '25 Oct 2026, 02:30:00 (Europe/Berlin, UTC+2)',
      '25 Oct 2026, 02:30:00 (Europe/Berlin, UTC+1)',
    ])
  })
})
