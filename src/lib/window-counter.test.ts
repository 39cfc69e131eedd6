import { describe, expect, it } from 'vitest'
import { TestClock } from '../../tests/support/clock.ts'
import { WindowCounter } from './window-counter.ts'

const limit = { count: 3, windowSeconds: 60 }

describe('a window counter', () => {
  it('allows up to the limit in each window', () => {
    const clock = new TestClock()
    const counter = new WindowCounter(clock)
    expect([1, 2, 3, 4].map(() => counter.take('a', limit).allowed)).toEqual([true, true, true, false])
    expect(counter.take('b', limit).allowed).toBe(true)
    clock.advance({ seconds: 59 })
    expect(counter.take('a', limit)).toMatchObject({ allowed: false, remaining: 0, retryAfterSeconds: 1 })
    clock.advance({ seconds: 1 })
    expect(counter.take('a', limit)).toMatchObject({ allowed: true, remaining: 2 })
  })

  it('refunds a use', () => {
    const counter = new WindowCounter(new TestClock())
    for (let n = 0; n < 3; n++) counter.take('a', limit)
    counter.refund('a')
    expect([1, 2].map(() => counter.take('a', limit).allowed)).toEqual([true, false])
    counter.refund('never seen')
  })

  it('drains the uses and refunds since the last drain', () => {
    const counter = new WindowCounter(new TestClock())
    counter.take('a', limit)
    counter.take('a', limit)
    expect(counter.drain()).toMatchObject([{ name: 'a', count: 2 }])
    expect(counter.drain()).toEqual([])
    counter.refund('a')
    expect(counter.drain()).toMatchObject([{ name: 'a', count: -1 }])
    expect(counter.take('a', limit).remaining).toBe(1)
  })

  it('merges totals of the same window and ignores other windows', () => {
    const clock = new TestClock()
    const counter = new WindowCounter(clock)
    counter.take('a', limit)
    const [drainedCount] = counter.drain()
    const windowStart = drainedCount?.windowStart ?? 0
    counter.replaceTotals([{ name: 'a', windowStart: windowStart - 60, count: 3 }])
    expect(counter.take('a', limit).allowed).toBe(true)
    counter.replaceTotals([{ name: 'a', windowStart, count: 3 }])
    expect(counter.take('a', limit).allowed).toBe(false)
  })

  it('drops names whose windows have ended', () => {
    const clock = new TestClock()
    const counter = new WindowCounter(clock)
    counter.take('a', limit)
    clock.advance({ minutes: 1 })
    expect(counter.drain()).toEqual([])
  })
})
