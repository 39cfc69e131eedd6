import { describe, expect, it } from 'vitest'
import { heeding, isTooOld, pauseAfter, restAfter } from './pauses.ts'

const HOUR_MS = 3_600_000

describe('pauses', () => {
  it('grow with every attempt, up to a quarter of an hour', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map(pauseAfter)).toEqual(
      [5, 15, 45, 120, 300, 900, 900, 900].map((seconds) => 1000 * seconds),
    )
  })

  it('of a whole provider last a minute at most, for new alerts may find it back', () => {
    expect([1, 2, 3, 4, 50].map(restAfter)).toEqual([5, 15, 45, 60, 60].map((seconds) => 1000 * seconds))
  })

  it('are as long as the other side asks for, within an hour', () => {
    expect(heeding(5_000)).toBe(5_000)
    expect(heeding(5_000, 2)).toBe(5_000)
    expect(heeding(5_000, 30)).toBe(30_000)
    expect(heeding(5_000, 86_400)).toBe(HOUR_MS)
  })

  it('come to an end after a day', () => {
    const created = new Date('2026-01-05T10:00:00.000Z')
    expect(isTooOld(created, new Date('2026-01-06T09:59:59.999Z'))).toBe(false)
    expect(isTooOld(created, new Date('2026-01-06T10:00:00.000Z'))).toBe(true)
  })
})
