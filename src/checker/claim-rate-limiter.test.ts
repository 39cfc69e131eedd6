import { describe, expect, it } from 'vitest'
import { ClaimRateLimiter } from './claim-rate-limiter.ts'

const CLAIM_INTERVAL_MS = 200

interface CatchUp {
  seconds: number
  maxPerClaim: number
}

/**
 * Claims until nothing is overdue. `duePerClaim` checks become due with each claim; those beyond the allowance become
 * overdue.
 */
function catchUp(backlog: number, { duePerClaim = 0, limiter = new ClaimRateLimiter(), from = 0 } = {}): CatchUp {
  let remaining = backlog
  let maxPerClaim = 0
  let now = from
  do {
    const allowed = limiter.allowance(now)
    const onTime = Math.min(duePerClaim, allowed.onTime)
    const overdue = Math.min(remaining, allowed.overdue)
    remaining += duePerClaim - onTime - overdue
    maxPerClaim = Math.max(maxPerClaim, onTime + overdue)
    if (limiter.recordClaims({ overdue, onTime }, allowed)) limiter.setBacklog(remaining)
    now += CLAIM_INTERVAL_MS
  } while (remaining > 0 && now - from < 600_000)
  return { seconds: (now - from) / 1000, maxPerClaim }
}

/** Long enough for a steady rate to become the usual one. */
const WARM_UP_MS = 40_000

function warmUp(duePerClaim: number): ClaimRateLimiter {
  const limiter = new ClaimRateLimiter()
  for (let now = 0; now < WARM_UP_MS; now += CLAIM_INTERVAL_MS) {
    const allowed = limiter.allowance(now)
    limiter.recordClaims({ overdue: 0, onTime: Math.min(duePerClaim, allowed.onTime) }, allowed)
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

  it('do not get allowance saved up over a long time', () => {
    const limiter = new ClaimRateLimiter()
    limiter.allowance(0)
    expect(limiter.allowance(3_600_000).overdue).toBeLessThanOrEqual(125)
  })
})

describe('on-time checks', () => {
  it('are all claimed at their usual rate', () => {
    const limiter = warmUp(350)
    expect(limiter.allowance(WARM_UP_MS).onTime).toBeGreaterThan(350)
  })

  it('are claimed within five seconds when 1,000 monitors are new', () => {
    const limiter = new ClaimRateLimiter()
    let claimed = 0
    let now = 0
    for (; claimed < 1_000; now += CLAIM_INTERVAL_MS) {
      const allowed = limiter.allowance(now)
      const onTime = Math.min(1_000 - claimed, allowed.onTime)
      limiter.recordClaims({ overdue: 0, onTime }, allowed)
      claimed += onTime
    }
    expect(now).toBeLessThan(4_500)
  })

  it('do not all start at the same time when 10,000 monitors are new', () => {
    const allowed = new ClaimRateLimiter().allowance(0)
    expect(allowed.onTime).toBeLessThan(150)
  })

  it('reach their full rate a few seconds after the server starts', () => {
    expect(catchUp(0, { duePerClaim: 350 }).seconds).toBeLessThan(20)
  })
})
