import { describe, expect, it } from 'vitest'
import { listHoursOfWeek, SLOT_MS } from './visit-history.ts'

const at = (time: string) => Date.parse(time)

/** A slow implementation that is obviously right, to compare with. */
function listHoursOneByOne(zone: string, startsAt: number, slotCount: number): number[] {
  return Array.from({ length: slotCount }, (_, slot) => {
    const local = Temporal.Instant.fromEpochMilliseconds(startsAt + slot * SLOT_MS).toZonedDateTimeISO(zone)
    return (local.dayOfWeek - 1) * 24 + local.hour
  })
}

describe('the hours of the week', () => {
  it('begin with Monday at midnight, local time', () => {
    expect([...listHoursOfWeek('UTC', at('2026-01-05T00:00:00Z'), 25)]).toEqual([
      ...Array(12).fill(0),
      ...Array(12).fill(1),
      2,
    ])
    expect(listHoursOfWeek('America/New_York', at('2026-01-05T04:55:00Z'), 2)).toEqual(Uint8Array.of(167, 0))
  })

  it.each([
    ['Europe/Berlin', '2026-03-27T23:35:00Z'],
    ['Europe/Berlin', '2026-10-24T00:00:00Z'],
    // These zones are 30 and 45 minutes off the full hour, and one changes its clocks by half an hour.
    ['Asia/Kathmandu', '2026-05-01T00:10:00Z'],
    ['Australia/Lord_Howe', '2026-04-03T00:00:00Z'],
    // Clocks change twice within 8 weeks.
    ['Africa/Casablanca', '2026-02-01T00:00:00Z'],
  ])('follow the clocks of %s from %s', (zone, time) => {
    const slotCount = 60 * 288
    const hours = listHoursOfWeek(zone, at(time), slotCount)
    expect([...hours]).toEqual(listHoursOneByOne(zone, at(time), slotCount))
  })
})
