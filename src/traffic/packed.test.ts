import { describe, expect, it } from 'vitest'
import { randoms } from '../../tests/support/checks.ts'
import { addPacked, pack, type Sums, sumPacked } from './packed.ts'

const unpack = (text: string | null) => {
  const sums: Sums = new Map()
  if (text !== null) addPacked(sums, text)
  return sums
}

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
    expect([...unpack(pack(new Map(pairs)))]).toEqual(pairs.toSorted(([one], [other]) => one - other))
  })

  it('come back whatever they are', () => {
    const random = randoms(7)
    for (let round = 0; round < 50; round++) {
      const sums: Sums = new Map()
      for (let n = 0; n < 200; n++) sums.set(Math.floor(2 ** (random() * 31)), Math.ceil(2 ** (random() * 31)))
      expect(unpack(pack(sums))).toEqual(new Map([...sums].sort(([one], [other]) => one - other)))
    }
  })

  it('add up', () => {
    const sums: Sums = new Map([[5, 2]])
    addPacked(
      sums,
      pack(
        new Map([
          [5, 3],
          [9, 1],
        ]),
      ) as string,
    )
    expect([...sums]).toEqual([
      [5, 5],
      [9, 1],
    ])
  })

  it('of many days add up to the same, all at once or one after the other', () => {
    const random = randoms(11)
    const days = Array.from({ length: 20 }, () =>
      pack(new Map(Array.from({ length: 900 }, () => [Math.floor(random() * 3_000), Math.ceil(random() * 90)]))),
    ) as string[]
    const slowly: Sums = new Map()
    for (const day of days) addPacked(slowly, day)
    const inOrder = (sums: Sums) => [...sums].sort(([one], [other]) => one - other)
    expect(inOrder(sumPacked(days))).toEqual(inOrder(slowly))
  })

  it('that are cut off are refused', () => {
    expect(() => addPacked(new Map(), Buffer.of(5).toString('base64'))).toThrow('cut off')
    expect(() => addPacked(new Map(), Buffer.of(200).toString('base64'))).toThrow('cut off')
  })

  it('leave out what is nothing', () => {
    expect(pack(new Map([[5, 0]]))).toBe(null)
  })

  it('take four letters or so for a page', () => {
    const pages = new Map(Array.from({ length: 5_000 }, (_, n) => [100_000 + 3 * n, 1 + (n % 90)]))
    expect(pack(pages)?.length).toBeLessThan(5_000 * 3)
  })
})
