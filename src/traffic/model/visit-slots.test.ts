import { describe, expect, it } from 'vitest'
import { decodeVisitSlot, encodeVisitSlot, findFirstSlotAt, VISIT_SLOT_MS } from './visit-slots.ts'

const day = '2026-03-29'
const firstSlotAt = findFirstSlotAt(day)

const encodeAt = (time: string, hostnameId = 0) => encodeVisitSlot(hostnameId, Date.parse(time), firstSlotAt)

describe('the slot of a visit', () => {
  it('is counted from 16 hours before midnight in UTC', () => {
    expect(new Date(firstSlotAt).toISOString()).toBe('2026-03-28T08:00:00.000Z')
  })

  // Stored values depend on these numbers, so they never change.
  it.each([
    ['2026-03-28T08:00:00.000Z', 0, 0],
    ['2026-03-28T08:04:59.999Z', 0, 0],
    ['2026-03-28T08:05:00.000Z', 0, 1],
    ['2026-03-29T00:00:00.000Z', 0, 192],
    ['2026-03-29T00:00:00.000Z', 7, 7 * 1_024 + 192],
    ['2026-03-30T15:59:59.999Z', 3, 3 * 1_024 + 671],
    ['2026-03-29T12:00:00.000Z', 2_097_151, 2_097_151 * 1_024 + 336],
    ['2026-03-29T12:00:00.000Z', 2_097_152, 336],
  ])('that begins at %s on the host %i is stored as %i', (time, hostnameId, value) => {
    expect(encodeAt(time, hostnameId)).toBe(value)
  })

  it('stays within the slots of its host, even if the clock is wrong by years', () => {
    expect(decodeVisitSlot(encodeAt('1995-01-01T00:00:00Z', 5))).toEqual({ hostnameId: 5, slot: 0 })
    expect(decodeVisitSlot(encodeAt('2096-01-01T00:00:00Z', 5))).toEqual({ hostnameId: 5, slot: 1_023 })
    expect(encodeAt('2096-01-01T00:00:00Z', 2_097_151)).toBe(2 ** 31 - 1)
  })

  it('can be decoded', () => {
    const at = Date.parse('2026-03-29T17:42:11.250Z')
    const { hostnameId, slot } = decodeVisitSlot(encodeVisitSlot(1_234, at, firstSlotAt))
    expect(hostnameId).toBe(1_234)
    const slotBeginsAt = firstSlotAt + slot * VISIT_SLOT_MS
    expect(new Date(slotBeginsAt).toISOString()).toBe('2026-03-29T17:40:00.000Z')
  })

  it('is within the day for every local day, in the time zones furthest from UTC', () => {
    for (const [zone, date] of [
      ['Pacific/Kiritimati', '2026-06-30'],
      ['Etc/GMT+12', '2026-06-30'],
      ['Europe/Berlin', '2026-10-25'],
    ] as const) {
      const start = Temporal.PlainDate.from(date).toZonedDateTime(zone)
      const end = start.add({ days: 1 })
      const first = findFirstSlotAt(date)
      expect(start.epochMilliseconds).toBeGreaterThanOrEqual(first)
      expect(end.epochMilliseconds).toBeLessThan(first + 1_024 * VISIT_SLOT_MS)
    }
  })
})
