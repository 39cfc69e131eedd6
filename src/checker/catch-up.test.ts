import { describe, expect, it } from 'vitest'
import { CatchUp } from './catch-up.ts'

/** Looks every 200 ms; answers with how long it took, in seconds, and the most that were taken at once. */
function run(waiting: number, { punctual = 0 } = {}): { seconds: number; most: number } {
  const catchUp = new CatchUp()
  let left = waiting
  let most = 0
  let now = 0
  for (; left > 0; now += 200) {
    const allowance = catchUp.allowance(now)
    const taken = Math.min(left, allowance)
    left -= taken
    most = Math.max(most, taken)
    if (catchUp.took({ waiting: taken, punctual, allowance })) catchUp.learn(left)
  }
  return { seconds: now / 1000, most }
}

describe('what has been waiting', () => {
  it('is caught up within a minute, however much it is', () => {
    for (const waiting of [1_000, 20_000, 100_000, 500_000]) expect(run(waiting).seconds).toBeLessThan(50)
  })

  it('is not taken in a burst', () => {
    expect(run(100_000).most).toBeLessThan(600)
    expect(run(2_000).most).toBeLessThan(100)
  })

  it('is caught up quickly where it is little', () => {
    expect(run(500).seconds).toBeLessThan(3)
  })

  it('is caught up at twice the usual pace where there is one', () => {
    expect(run(20_000, { punctual: 400 }).seconds).toBeLessThan(15)
  })

  it('does not save up for later', () => {
    const catchUp = new CatchUp()
    catchUp.allowance(0)
    expect(catchUp.allowance(3_600_000)).toBeLessThanOrEqual(250)
  })
})
