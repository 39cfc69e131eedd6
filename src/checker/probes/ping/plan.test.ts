import { describe, expect, it } from 'vitest'
import { PINGS_PER_CHECK, planFor } from './plan.ts'

describe('a ping plan', () => {
  it.each([500, 999, 1_000, 1_500, 9_999, 10_000, 60_000])('finishes within 90 %% of %i ms', (remainingMs) => {
    const plan = planFor(remainingMs)
    const { periodMs, waitMs, maxAddresses } = plan ?? expect.unreachable()
    expect((PINGS_PER_CHECK - 1) * periodMs + waitMs + maxAddresses).toBeLessThanOrEqual(0.9 * remainingMs)
    expect([periodMs, waitMs, maxAddresses].every(Number.isInteger)).toBe(true)
  })

  it('is the same object for similar timeouts, so that their checks can share a process', () => {
    expect(planFor(9_998)).toBe(planFor(10_000))
    expect(planFor(60_000)).toBe(planFor(10_000))
  })

  it('does not exist if too little time remains', () => {
    expect(planFor(400)).toBeUndefined()
    expect(planFor(-1)).toBeUndefined()
  })
})
