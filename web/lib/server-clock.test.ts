import { describe, expect, it, vi } from 'vitest'
import { countSecondsSince, ServerClock } from './server-clock.ts'

const toIso = (ms: number) => new Date(ms).toISOString()

describe("the server's clock", () => {
  it('follows the server if the clock of the browser is wrong', () => {
    let browserTime = 1_000_000
    const clock = new ServerClock(() => browserTime)
    clock.synchronize(toIso(9_000_000))
    expect(clock.now).toBe(9_000_000)
    browserTime += 5_000
    clock.tick()
    expect(clock.now).toBe(9_005_000)
  })

  it('ignores the latency of later responses, but not a changed clock', () => {
    const browserTime = 1_000_000
    const clock = new ServerClock(() => browserTime)
    clock.synchronize(toIso(9_000_000))
    clock.synchronize(toIso(8_999_300))
    expect(clock.now).toBe(9_000_000)
    clock.synchronize(toIso(9_000_200))
    expect(clock.now).toBe(9_000_200)
    clock.synchronize(toIso(8_000_000))
    expect(clock.now).toBe(8_000_000)
  })

  it('passes the same time to all listeners', () => {
    const clock = new ServerClock(() => 1_000)
    const listeners = [vi.fn(), vi.fn()]
    const removers = listeners.map((listener) => clock.subscribe(listener))
    clock.synchronize(toIso(7_000))
    for (const remove of removers) remove()
    clock.tick()
    for (const listener of listeners) expect(listener.mock.calls).toEqual([[7_000]])
  })
})

it('countSecondsSince counts whole seconds, and never fewer than zero', () => {
  expect(countSecondsSince(toIso(1_000), 3_999)).toBe(2)
  expect(countSecondsSince(toIso(5_000), 3_999)).toBe(0)
})
