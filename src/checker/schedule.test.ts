import { describe, expect, it } from 'vitest'
import { MINUTE_MS } from '../shared/time.ts'
import { computeNextDueAt, computeOffset } from './schedule.ts'

const NOW = Date.UTC(2026, 0, 5, 10)

/** Returns the due times of `count` consecutive checks, each of which starts a few milliseconds late. */
function simulateDueTimes(id: number, count: number, { interval = MINUTE_MS, due = NOW } = {}): number[] {
  const dueTimes = [due]
  for (let n = 0; n < count; n++) {
    const last = dueTimes.at(-1) as number
    dueTimes.push(computeNextDueAt(id, interval, { due: last, now: last + 7 }))
  }
  return dueTimes
}

describe('the next check', () => {
  it('is due one interval after the last due time, even if the last check started late', () => {
    const dueAtOffset = simulateDueTimes(3, 30).at(-1) as number
    expect(computeNextDueAt(3, MINUTE_MS, { due: dueAtOffset, now: dueAtOffset + 900 })).toBe(dueAtOffset + MINUTE_MS)
  })

  it('is due after 90 % to 100 % of the interval', () => {
    for (let id = 1; id < 500; id++) {
      const due = NOW + id * 137
      const next = computeNextDueAt(id, MINUTE_MS, { due, now: due + 5 })
      expect(next - due).toBeLessThanOrEqual(MINUTE_MS)
      expect(next - due).toBeGreaterThanOrEqual(0.9 * MINUTE_MS)
    }
  })

  it.each([3, 40, 600])('is due one interval from now if the last check was %s s overdue', (seconds) => {
    const now = NOW + seconds * 1000
    const next = computeNextDueAt(3, MINUTE_MS, { due: NOW, now })
    expect(next).toBeGreaterThanOrEqual(now + 0.9 * MINUTE_MS)
    expect(next).toBeLessThanOrEqual(now + MINUTE_MS)
  })

  it('reaches its monitor’s offset within ten intervals and stays there', () => {
    for (const id of [1, 2, 77, 123_456]) {
      const dueTimes = simulateDueTimes(id, 14)
      const gaps = dueTimes.slice(1).map((due, n) => due - (dueTimes[n] as number))
      expect(gaps.slice(11)).toEqual([MINUTE_MS, MINUTE_MS, MINUTE_MS])
      expect(Math.abs(((dueTimes.at(-1) as number) % MINUTE_MS) - computeOffset(id, MINUTE_MS))).toBeLessThanOrEqual(1)
    }
  })
})

describe('many monitors', () => {
  it('that were created at the same time spread evenly over the interval', () => {
    const checksBySecond = new Array<number>(60).fill(0)
    for (let id = 1; id <= 6_000; id++) {
      const due = simulateDueTimes(id, 12).at(-1) as number
      const second = Math.floor((due % MINUTE_MS) / 1000)
      checksBySecond[second] = (checksBySecond[second] as number) + 1
    }
    expect(Math.min(...checksBySecond)).toBeGreaterThan(95)
    expect(Math.max(...checksBySecond)).toBeLessThan(105)
  })

  it('have evenly spread offsets even if only every second or hundredth id exists', () => {
    for (const step of [2, 100]) {
      const offsets = Array.from({ length: 1_000 }, (_, n) => computeOffset(1 + n * step, MINUTE_MS))
      const countInFirstTenth = offsets.filter((offset) => offset < MINUTE_MS / 10).length
      expect(countInFirstTenth).toBeGreaterThan(85)
      expect(countInFirstTenth).toBeLessThan(115)
    }
  })
})
