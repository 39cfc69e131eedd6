import { describe, expect, it } from 'vitest'
import { nextDue, placeOf } from './schedule.ts'

const MINUTE = 60_000
const NOW = Date.UTC(2026, 0, 5, 10)

/** Checked `times` times on its due time, a few milliseconds late. */
function run(id: number, times: number, { interval = MINUTE, due = NOW } = {}): number[] {
  const dues = [due]
  for (let n = 0; n < times; n++) {
    const last = dues.at(-1) as number
    dues.push(nextDue(id, interval, { due: last, now: last + 7 }))
  }
  return dues
}

describe('the next check', () => {
  it('comes one interval after the last was due, however late that began', () => {
    const inPlace = run(3, 30).at(-1) as number
    expect(nextDue(3, MINUTE, { due: inPlace, now: inPlace + 900 })).toBe(inPlace + MINUTE)
  })

  it('is never further away than the interval', () => {
    for (let id = 1; id < 500; id++) {
      const due = NOW + id * 137
      const next = nextDue(id, MINUTE, { due, now: due + 5 })
      expect(next - due).toBeLessThanOrEqual(MINUTE)
      expect(next - due).toBeGreaterThanOrEqual(0.9 * MINUTE)
    }
  })

  it.each([3, 40, 600])('counts from now where the last one came %s s late', (seconds) => {
    const now = NOW + seconds * 1000
    const next = nextDue(3, MINUTE, { due: NOW, now })
    expect(next).toBeGreaterThanOrEqual(now + 0.9 * MINUTE)
    expect(next).toBeLessThanOrEqual(now + MINUTE)
  })

  it('finds back to its place within ten intervals, and stays there', () => {
    for (const id of [1, 2, 77, 123_456]) {
      const dues = run(id, 14)
      const gaps = dues.slice(1).map((due, n) => due - (dues[n] as number))
      expect(gaps.slice(11)).toEqual([MINUTE, MINUTE, MINUTE])
      expect(Math.abs(((dues.at(-1) as number) % MINUTE) - placeOf(id, MINUTE))).toBeLessThanOrEqual(1)
    }
  })
})

describe('many monitors', () => {
  it('that were made in the same moment spread evenly over the interval', () => {
    const perSecond = new Array<number>(60).fill(0)
    for (let id = 1; id <= 6_000; id++) {
      const due = run(id, 12).at(-1) as number
      const second = Math.floor((due % MINUTE) / 1000)
      perSecond[second] = (perSecond[second] as number) + 1
    }
    expect(Math.min(...perSecond)).toBeGreaterThan(95)
    expect(Math.max(...perSecond)).toBeLessThan(105)
  })

  it('have places also where only every second or hundredth id is theirs', () => {
    for (const step of [2, 100]) {
      const places = Array.from({ length: 1_000 }, (_, n) => placeOf(1 + n * step, MINUTE))
      const first = places.filter((place) => place < MINUTE / 10).length
      expect(first).toBeGreaterThan(85)
      expect(first).toBeLessThan(115)
    }
  })
})
