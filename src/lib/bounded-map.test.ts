import { describe, expect, it } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

describe('a bounded map', () => {
  it('drops the oldest entry when it is full', () => {
    const map = new BoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    map.set('c', 4)
    expect(['a', 'b', 'c'].map((key) => map.get(key))).toEqual([3, undefined, 4])
    map.delete('a')
    map.set('d', 5)
    expect(['a', 'c', 'd'].map((key) => map.get(key))).toEqual([undefined, 4, 5])
  })

  it('never exceeds its limit and stays nearly full', () => {
    const map = new BoundedMap<number, number>(1_000)
    const listStoredValues = () =>
      Array.from({ length: 10_000 }, (_, key) => map.get(key)).filter((value) => value !== undefined)
    for (let key = 0; key < 10_000; key++) map.set(key, key)
    expect(listStoredValues().length).toBeLessThanOrEqual(1_000)
    expect(listStoredValues().length).toBeGreaterThan(980)
    expect(listStoredValues().at(-1)).toBe(9_999)
  })
})
