import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../../shared/time.ts'
import { listWindows } from './read-events.ts'

const createBlock = (day: number, part: number, weight: number, [first, last]: [number, number]) => ({
  websiteId: 1,
  day: `2026-01-0${day}`,
  part,
  weight,
  firstEventAt: day * DAY_MS + first,
  lastEventAt: day * DAY_MS + last,
})

describe('the windows of an export', () => {
  it('are one for each day, from its first event to that of the next day', () => {
    const blocks = [createBlock(1, 0, 10, [50, 900]), createBlock(1, 1, 10, [20, 700]), createBlock(3, 0, 10, [5, 60])]
    expect(listWindows(blocks, undefined)).toEqual([
      { from: DAY_MS + 20, to: 3 * DAY_MS + 5 },
      { from: 3 * DAY_MS + 5, to: 3 * DAY_MS + 61 },
    ])
  })

  it('have about 100,000 events of blocks, and no gap or overlap', () => {
    const blocks = [0, 1, 2, 3, 4].map((part) => createBlock(1, part, 60_000, [0, 2_999]))
    expect(listWindows(blocks, undefined)).toEqual([
      { from: DAY_MS, to: DAY_MS + 1_000 },
      { from: DAY_MS + 1_000, to: DAY_MS + 2_000 },
      { from: DAY_MS + 2_000, to: DAY_MS + 3_000 },
    ])
  })

  it('are at most a day long if there are rows', () => {
    const rowSpan = { first: 2 * DAY_MS, last: 4 * DAY_MS - 1 }
    expect(listWindows([createBlock(1, 0, 10, [0, 5])], rowSpan)).toEqual([
      { from: DAY_MS, to: 2 * DAY_MS },
      { from: 2 * DAY_MS, to: 3 * DAY_MS },
      { from: 3 * DAY_MS, to: 4 * DAY_MS },
    ])
    expect(listWindows([], undefined)).toEqual([])
  })
})
