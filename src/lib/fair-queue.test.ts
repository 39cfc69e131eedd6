import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const noLimits = { maxItems: 1_000, maxBytes: 1_000 }

function fill(queue: FairQueue<{ name: string; bytes: number }>, key: string, count: number, bytes = 1): number {
  let addedCount = 0
  while (addedCount < count && queue.add(key, { name: `${key}${addedCount}`, bytes })) addedCount++
  return addedCount
}

describe('FairQueue', () => {
  it('takes items of all keys in turn, each in the order in which they were added', () => {
    const queue = new FairQueue<{ name: string; bytes: number }>(noLimits)
    fill(queue, 'a', 5)
    fill(queue, 'b', 1)
    fill(queue, 'c', 2)
    const takeNames = (maxItems: number) => queue.takeBatch({ ...noLimits, maxItems }).map(({ name }) => name)
    expect(takeNames(4)).toEqual(['a0', 'b0', 'c0', 'a1'])
    expect(queue.length).toBe(4)
    expect(takeNames(1)).toEqual(['c1'])
    expect(takeNames(10)).toEqual(['a2', 'a3', 'a4'])
    expect([takeNames(10), queue.length]).toEqual([[], 0])
  })

  it('limits a batch by bytes, but takes at least one item', () => {
    const queue = new FairQueue<{ name: string; bytes: number }>(noLimits)
    fill(queue, 'a', 3, 100)
    expect(queue.takeBatch({ maxItems: 10, maxBytes: 50 })).toHaveLength(1)
    expect(queue.takeBatch({ maxItems: 10, maxBytes: 200 })).toHaveLength(2)
  })

  it('keeps room for as many items as the key with the most items has', () => {
    const queue = new FairQueue<{ name: string; bytes: number }>({ maxItems: 900, maxBytes: 1_000_000 })
    expect(fill(queue, 'a', 1_000)).toBe(450)
    expect(fill(queue, 'b', 1_000)).toBe(225)
    expect(fill(queue, 'c', 100)).toBe(100)
    queue.takeBatch({ maxItems: 900, maxBytes: 1_000_000 })
    expect(fill(queue, 'a', 1_000)).toBe(450)
  })

  it('keeps room for as many bytes as the key with the most bytes has', () => {
    const queue = new FairQueue<{ name: string; bytes: number }>({ maxItems: 1_000, maxBytes: 1_000 })
    expect(fill(queue, 'a', 100, 100)).toBe(5)
    expect(fill(queue, 'b', 100, 100)).toBe(3)
  })

  it('keeps the order of the items of a key while small batches are taken', () => {
    const queue = new FairQueue<{ name: string; bytes: number }>({ maxItems: 2_000, maxBytes: 1_000_000 })
    fill(queue, 'a', 1_000)
    const names: string[] = []
    while (queue.length > 0) names.push(...queue.takeBatch({ maxItems: 7, maxBytes: 1_000 }).map(({ name }) => name))
    expect(names).toEqual(Array.from({ length: 1_000 }, (_, n) => `a${n}`))
  })
})
