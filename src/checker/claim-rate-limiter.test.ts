import { describe, expect, it } from 'vitest'
import { ClaimRateLimiter } from './claim-rate-limiter.ts'

const CLAIM_INTERVAL_MS = 200

interface CatchUpResult {
  seconds: number
  maxPerClaim: number
}

/**
 * Simulates claims until no check is overdue. At first, `backlog` checks are overdue. Before each claim, `duePerClaim` more
 * become due. If the limiter allows fewer on-time checks than that, the rest become overdue.
 */
function catchUp(backlog: number, { duePerClaim = 0, limiter = new ClaimRateLimiter(), from = 0 } = {}): CatchUpResult {
  let overdueCount = backlog
  let maxPerClaim = 0
  let now = from
  do {
    const allowance = limiter.getAllowance(now)
    const onTime = Math.min(duePerClaim, allowance.onTime)
    const overdue = Math.min(overdueCount, allowance.overdue)
    overdueCount += duePerClaim - onTime - overdue
    maxPerClaim = Math.max(maxPerClaim, onTime + overdue)
    limiter.recordClaims({ overdue, onTime }, overdueCount)
    now += CLAIM_INTERVAL_MS
  } while (overdueCount > 0 && now - from < 600_000)
  return { seconds: (now - from) / 1000, maxPerClaim }
}

/** If checks are claimed at a steady rate for this long, the limiter treats it as the usual rate. */
const WARM_UP_MS = 40_000

function warmUp(duePerClaim: number): ClaimRateLimiter {
  const limiter = new ClaimRateLimiter()
  for (let now = 0; now < WARM_UP_MS; now += CLAIM_INTERVAL_MS) {
    const allowance = limiter.getAllowance(now)
    limiter.recordClaims({ overdue: 0, onTime: Math.min(duePerClaim, allowance.onTime) }, 0)
  }
  return limiter
}

describe('overdue checks', () => {
  it('are caught up within a minute, however many there are', () => {
    for (const backlog of [1_000, 20_000, 100_000, 150_000]) expect(catchUp(backlog).seconds).toBeLessThan(55)
  })

  it('are not claimed in a burst', () => {
    expect(catchUp(100_000).maxPerClaim).toBeLessThan(1_200)
    expect(catchUp(2_000).maxPerClaim).toBeLessThan(150)
  })

  it('are caught up within seconds if there are few', () => {
    expect(catchUp(500).seconds).toBeLessThan(3)
  })

  it('are caught up while on-time checks continue', () => {
    const limiter = warmUp(300)
    expect(catchUp(20_000, { duePerClaim: 300, limiter, from: WARM_UP_MS }).seconds).toBeLessThan(20)
  })

  it('can use no more than half a second of allowance that was not used before', () => {
    const limiter = new ClaimRateLimiter()
    limiter.getAllowance(0)
    expect(limiter.getAllowance(3_600_000).overdue).toBeLessThanOrEqual(125)
  })
})

describe('on-time checks', () => {
  it('are all claimed at their usual rate', () => {
    const limiter = warmUp(350)
    expect(limiter.getAllowance(WARM_UP_MS).onTime).toBeGreaterThan(350)
  })

  it('of 1,000 new monitors are claimed within five seconds', () => {
    const limiter = new ClaimRateLimiter()
    let claimedCount = 0
    let now = 0
    for (; claimedCount < 1_000; now += CLAIM_INTERVAL_MS) {
      const allowance = limiter.getAllowance(now)
      const onTime = Math.min(1_000 - claimedCount, allowance.onTime)
      limiter.recordClaims({ overdue: 0, onTime }, 0)
      claimedCount += onTime
    }
    expect(now).toBeLessThan(4_500)
  })

  it('of 10,000 new monitors are not all claimed together', () => {
    const allowance = new ClaimRateLimiter().getAllowance(0)
    expect(allowance.onTime).toBeLessThan(150)
  })

  it('reach their full rate a few seconds after the server starts', () => {
    expect(catchUp(0, { duePerClaim: 350 }).seconds).toBeLessThan(20)
  })
})
