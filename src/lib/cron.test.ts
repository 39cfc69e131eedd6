import { describe, expect, it } from 'vitest'
import { findNextTime, parseCron } from './cron.ts'

describe('parseCron', () => {
  it.each([
    ['30 2 * * *', '30 2 * * *'],
    ['  */5  *  * * 1-5 ', '*/5 * * * 1-5'],
    ['@daily', '@daily'],
  ])('accepts %j', (text, value) => {
    expect(parseCron(text)).toEqual({ value })
  })

  it.each(['', '* * * *', '* * * * * *', '61 * * * *', '@reboot', 'daily', '0 0 31 2 *'])('rejects %j', (text) => {
    expect(parseCron(text)).toHaveProperty('errors')
  })
})

describe('findNextTime', () => {
  const next = (cron: string, zone: string, after: string) => findNextTime(cron, zone, new Date(after))?.toISOString()

  it('uses the time zone', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-07-01T12:00:00Z')).toBe('2026-07-02T00:30:00.000Z')
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-12-01T12:00:00Z')).toBe('2026-12-02T01:30:00.000Z')
  })

  it('runs a time that the change to summer time skips at the change', () => {
    // On 29 March 2026, clocks in Berlin go from 2:00 to 3:00 at 01:00 UTC.
    const first = next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z') ?? ''
    expect(first).toBe('2026-03-29T01:00:00.000Z')
    expect(next('30 2 * * *', 'Europe/Berlin', first)).toBe('2026-03-30T00:30:00.000Z')
  })

  it('runs a time that occurs twice at the change to winter time once', () => {
    // On 25 October 2026, clocks in Berlin go from 3:00 back to 2:00 at 01:00 UTC.
    const first = next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z') ?? ''
    expect(first).toBe('2026-10-25T00:30:00.000Z')
    expect(next('30 2 * * *', 'Europe/Berlin', first)).toBe('2026-10-26T01:30:00.000Z')
  })
})
