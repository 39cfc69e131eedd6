import { describe, expect, it } from 'vitest'
import { Pace } from './pace.ts'

const LOOK_MS = 200

interface Run {
  seconds: number
  mostPerLook: number
}

/** Until nobody waits any more. `perLook`: as many become due in time with each look; those beyond the allowance wait. */
function run(waiting: number, { perLook = 0, pace = new Pace(), from = 0 } = {}): Run {
  let left = waiting
  let mostPerLook = 0
  let now = from
  do {
    const allowed = pace.allowance(now)
    const punctual = Math.min(perLook, allowed.punctual)
    const taken = Math.min(left, allowed.waiting)
    left += perLook - punctual - taken
    mostPerLook = Math.max(mostPerLook, punctual + taken)
    if (pace.took({ waiting: taken, punctual }, allowed)) pace.learn(left)
    now += LOOK_MS
  } while (left > 0 && now - from < 600_000)
  return { seconds: (now - from) / 1000, mostPerLook }
}

/** Up to when it is used to so many with each look. */
const USED_MS = 40_000

function usedTo(perLook: number): Pace {
  const pace = new Pace()
  for (let now = 0; now < USED_MS; now += LOOK_MS) {
    const allowed = pace.allowance(now)
    pace.took({ waiting: 0, punctual: Math.min(perLook, allowed.punctual) }, allowed)
  }
  return pace
}

describe('those that have been waiting', () => {
  it('are caught up within a minute, however many they are', () => {
    for (const waiting of [1_000, 20_000, 100_000, 150_000]) expect(run(waiting).seconds).toBeLessThan(55)
  })

  it('are not taken in a burst', () => {
    expect(run(100_000).mostPerLook).toBeLessThan(1_200)
    expect(run(2_000).mostPerLook).toBeLessThan(150)
  })

  it('are caught up quickly where they are few', () => {
    expect(run(500).seconds).toBeLessThan(3)
  })

  it('are caught up beside those in time', () => {
    const pace = usedTo(300)
    expect(run(20_000, { perLook: 300, pace, from: USED_MS }).seconds).toBeLessThan(20)
  })

  it('do not get what others did not need long ago', () => {
    const pace = new Pace()
    pace.allowance(0)
    expect(pace.allowance(3_600_000).waiting).toBeLessThanOrEqual(125)
  })
})

describe('those in time', () => {
  it('are all taken where they are as many as usual', () => {
    const pace = usedTo(350)
    expect(pace.allowance(USED_MS).punctual).toBeGreaterThan(350)
  })

  it('are a thousand at most within five seconds where there were none before', () => {
    const pace = new Pace()
    let taken = 0
    let now = 0
    for (; taken < 1_000; now += LOOK_MS) {
      const allowed = pace.allowance(now)
      const punctual = Math.min(1_000 - taken, allowed.punctual)
      pace.took({ waiting: 0, punctual }, allowed)
      taken += punctual
    }
    expect(now).toBeLessThan(4_500)
  })

  it('do not all begin at once when ten thousand are new', () => {
    const allowed = new Pace().allowance(0)
    expect(allowed.punctual).toBeLessThan(150)
  })

  it('have the pace they need a few seconds after a start', () => {
    expect(run(0, { perLook: 350 }).seconds).toBeLessThan(20)
  })
})
