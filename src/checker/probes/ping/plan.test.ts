import { describe, expect, it } from 'vitest'
import { findPingPlan, PINGS_PER_CHECK } from './plan.ts'

describe('a ping plan', () => {
  it.each([500, 999, 1_000, 1_500, 9_999, 10_000, 60_000])('finishes within 90 %% of %i ms', (remainingMs) => {
    const plan = findPingPlan(remainingMs)
    const { periodMs, waitMs, maxAddresses, batchWindowMs } = plan ?? expect.unreachable()
    expect(batchWindowMs + (PINGS_PER_CHECK - 1) * periodMs + waitMs + maxAddresses).toBeLessThanOrEqual(
      0.9 * remainingMs,
    )
    expect([periodMs, waitMs, maxAddresses, batchWindowMs].every(Number.isInteger)).toBe(true)
  })

  it('is the same object for similar timeouts, so that their checks can share a process', () => {
    expect(findPingPlan(9_998)).toBe(findPingPlan(10_000))
    expect(findPingPlan(60_000)).toBe(findPingPlan(10_000))
  })

  it('does not exist if too little time remains', () => {
    expect(findPingPlan(400)).toBeUndefined()
    expect(findPingPlan(-1)).toBeUndefined()
  })
})
