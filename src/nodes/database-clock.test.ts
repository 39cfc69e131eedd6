import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { DatabaseClock } from './database-clock.ts'

/** A node and PostgreSQL, each with its own clock. `advance` moves both, and the monotonic clock. */
function createNode({ localAheadMs = 0 } = {}) {
  const times = { monotonic: 5_000, local: 1_000_000 + localAheadMs, database: 1_000_000 }
  const logLines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logLines.push(JSON.parse(line).msg) })
  const clock = new DatabaseClock({
    log,
    localClock: { now: () => new Date(times.local) },
    monotonicNow: () => times.monotonic,
  })
  const advance = (ms: number) => {
    for (const name of ['monotonic', 'local', 'database'] as const) times[name] += ms
  }
  const measure = ({ requestMs = 1, responseMs = 1, duringRequest = () => {} } = {}) => {
    const finish = clock.startMeasurement()
    duringRequest()
    advance(requestMs)
    const databaseTimeMs = times.database
    advance(responseMs)
    finish(databaseTimeMs)
  }
  const errorMs = () => clock.now().getTime() - times.database
  return { times, logLines, clock, advance, measure, errorMs }
}

describe("PostgreSQL's time", () => {
  it("is right on a node whose own clock isn't", () => {
    const { measure, errorMs, advance, clock } = createNode({ localAheadMs: 90_000 })
    expect(errorMs()).toBe(90_000)
    measure()
    expect([errorMs(), clock.localOffsetMs]).toEqual([0, 90_000])
    advance(3_600_000)
    expect(errorMs()).toBe(0)
  })

  it('does not change when the clock of the node is set', () => {
    const { measure, errorMs, times } = createNode()
    measure()
    times.local -= 3_600_000
    expect(errorMs()).toBe(0)
  })

  it('is not disturbed by slow responses, and is corrected by fast ones', () => {
    const { advance, measure, errorMs } = createNode()
    measure({ requestMs: 300, responseMs: 100 })
    expect(errorMs()).toBe(100)
    measure({ requestMs: 2, responseMs: 2 })
    advance(100)
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(2)
    measure({ requestMs: 4_000, responseMs: 10 })
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(2)
  })

  it('stands still instead of going back by less than a second', () => {
    const { measure, clock, times, advance } = createNode()
    measure()
    const before = clock.now()
    times.database -= 400
    measure()
    expect(clock.now()).toEqual(before)
    advance(397)
    expect(clock.now()).toEqual(before)
    advance(11)
    expect(clock.now().getTime()).toBe(before.getTime() + 11)
  })

  it("follows PostgreSQL's clock when that is set, or when another server takes over", () => {
    const { measure, errorMs, times } = createNode()
    measure()
    for (const stepMs of [-90_000, 90_000]) {
      times.database += stepMs
      measure()
      expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    }
  })

  it('is right again one measurement after the machine slept, and a sleep is not reported as a wrong clock', () => {
    const { measure, errorMs, times, logLines } = createNode()
    measure()
    const sleep = () => {
      times.local += 600_000
      times.database += 600_000
    }
    measure({ duringRequest: sleep })
    measure()
    expect(Math.abs(errorMs())).toBeLessThanOrEqual(1)
    expect(logLines).toEqual([])
  })
})

describe('a node whose clock is wrong', () => {
  it('logs a warning once, and a line when the clock is right again', () => {
    const { measure, clock, times, logLines } = createNode({ localAheadMs: 5_002 })
    measure()
    measure()
    expect(clock.problem).toBe(
      "The clock of this node is 5 s ahead of PostgreSQL's. Belfry uses PostgreSQL's time; synchronize both with a time server.",
    )
    times.local -= 20_000
    measure()
    expect(clock.problem).toContain("is 15 s behind PostgreSQL's")
    times.local += 15_000
    measure()
    expect(clock.problem).toBeUndefined()
    expect(logLines).toEqual([
      "the clock of this node differs from PostgreSQL's",
      "the clock of this node matches PostgreSQL's again",
    ])
  })

  it('logs nothing about a difference of less than five seconds', () => {
    const { measure, clock } = createNode({ localAheadMs: -4_900 })
    measure()
    expect([clock.problem, Math.round(clock.localOffsetMs)]).toEqual([undefined, -4_900])
  })
})
