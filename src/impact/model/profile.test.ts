import { describe, expect, it } from 'vitest'
import { findSlotOfHour, interpolateRate, sharpenProfile } from './profile.ts'
import { HOURS_PER_WEEK, SLOTS_PER_HOUR } from './visit-history.ts'

describe('the visit rates of the slots of an hour', () => {
  it('keep the mean of each hour in a smooth profile', () => {
    const profile = Float64Array.from(
      { length: HOURS_PER_WEEK },
      (_, hour) => 10 + 5 * Math.sin((hour / 24) * 2 * Math.PI),
    )
    const sharpProfile = sharpenProfile(profile)
    for (let hour = 0; hour < 24; hour++) {
      let sum = 0
      for (let slot = 0; slot < SLOTS_PER_HOUR; slot++) sum += interpolateRate(sharpProfile, hour, slot)
      expect(sum / SLOTS_PER_HOUR).toBeCloseTo(profile[hour] ?? 0, 1)
    }
  })

  it('change evenly from Sunday to Monday', () => {
    const profile = new Float64Array(HOURS_PER_WEEK).fill(1)
    profile[0] = 3
    expect(interpolateRate(profile, HOURS_PER_WEEK - 1, 11)).toBeCloseTo(1.92, 2)
    expect(interpolateRate(profile, 0, 0)).toBeCloseTo(2.08, 2)
  })
})

describe('the position of a slot within its hour', () => {
  const createHours = (lengths: number[]) => ({
    counts: [],
    excluded: [],
    hourOfWeek: lengths.flatMap((slots, hour) => Array<number>(slots).fill(hour)),
  })

  it('is found even if the history begins in the middle of an hour', () => {
    const history = createHours([5, 12, 12])
    expect([0, 4, 5, 16, 17].map((slot) => findSlotOfHour(history, slot))).toEqual([7, 11, 0, 11, 0])
  })

  it('begins again at 0 in the second of two identical hours when clocks go back', () => {
    const history = createHours([12, 24, 12])
    expect([12, 23, 24, 30, 35, 36].map((slot) => findSlotOfHour(history, slot))).toEqual([0, 11, 0, 6, 11, 0])
  })
})
