import { describe, expect, it } from 'vitest'
import { PINGS, planFor } from './plan.ts'

describe('a plan', () => {
  it.each([500, 999, 1_000, 1_500, 9_999, 10_000, 60_000])('ends in time, with some to spare, in %i ms', (ms) => {
    const plan = planFor(ms)
    const { periodMs, waitMs, mostAddresses } = plan ?? expect.unreachable()
    expect((PINGS - 1) * periodMs + waitMs + mostAddresses).toBeLessThanOrEqual(0.9 * ms)
    expect([periodMs, waitMs, mostAddresses].every(Number.isInteger)).toBe(true)
  })

  it('is the same for many, so that they can share a process', () => {
    expect(planFor(9_998)).toBe(planFor(10_000))
    expect(planFor(60_000)).toBe(planFor(10_000))
  })

  it('is none where no time is left', () => {
    expect(planFor(400)).toBeUndefined()
    expect(planFor(-1)).toBeUndefined()
  })
})
