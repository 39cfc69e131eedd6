import { describe, expect, it } from 'vitest'
import { randoms } from '../../../tests/support/check-results.ts'
import { CountTable } from './count-table.ts'
import { addCount, addPackedCounts, type CountMap, packCounts, unpackCounts } from './packed-counts.ts'

describe('packed counts', () => {
  it.each<[number, number][][]>([
    [[]],
    [[[0, 1]]],
    [
      [
        [24, 127],
        [23, 128],
        [0, 16_384],
      ],
    ],
    [
      [
        [2_147_483_647, 2_147_483_647],
        [1, 1],
      ],
    ],
  ])('come back as they were: %j', (pairs) => {
    expect([...unpackCounts(packCounts(new Map(pairs)))]).toEqual(pairs.toSorted(([one], [other]) => one - other))
  })

  it('come back whatever they are', () => {
    const random = randoms(7)
    for (let round = 0; round < 50; round++) {
      const sums: CountMap = new Map()
      for (let n = 0; n < 200; n++) sums.set(Math.floor(2 ** (random() * 31)), Math.ceil(2 ** (random() * 53)))
      expect(unpackCounts(packCounts(sums))).toEqual(new Map([...sums].sort(([one], [other]) => one - other)))
    }
  })

  it('of many days add up', () => {
    const random = randoms(11)
    const days = Array.from(
      { length: 20 },
      (): CountMap =>
        new Map(Array.from({ length: 900 }, () => [Math.floor(random() * 3_000), Math.ceil(random() * 90)])),
    )
    const slowly: CountMap = new Map()
    for (const day of days) for (const [value, count] of day) addCount(slowly, value, count)
    const table = new CountTable()
    for (const day of days) addPackedCounts(table, packCounts(day) as string)
    const found: [number, number][] = []
    table.forEach((count, value) => {
      found.push([value, count])
    })
    expect(found).toEqual([...slowly].sort(([one], [other]) => one - other))
  })

  it('that are cut off are refused', () => {
    expect(() => unpackCounts(Buffer.of(5).toString('base64'))).toThrow('cut off')
    expect(() => unpackCounts(Buffer.of(200).toString('base64'))).toThrow('cut off')
  })

  it('leave out what is nothing', () => {
    expect(packCounts(new Map([[5, 0]]))).toBe(null)
  })

  it('take four letters or so for a page', () => {
    const pages = new Map(Array.from({ length: 5_000 }, (_, n) => [100_000 + 3 * n, 1 + (n % 90)]))
    expect(packCounts(pages)?.length).toBeLessThan(5_000 * 3)
  })
})
