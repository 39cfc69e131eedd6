import { describe, expect, it } from 'vitest'
import { seededRandom } from '../demo/random.ts'
import { CountTable } from '../model/count-table.ts'
import { addCount, addPackedCounts, type CountMap, packCounts, packVisitSlots, unpackCounts } from './packed-counts.ts'

const sortById = (counts: CountMap) => [...counts].sort(([one], [other]) => one - other)

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
  ])('unpack to the original: %j', (pairs) => {
    expect([...unpackCounts(packCounts(new Map(pairs)))]).toEqual(sortById(new Map(pairs)))
  })

  it('unpack to the original for random ids and counts', () => {
    const random = seededRandom(7)
    for (let round = 0; round < 50; round++) {
      const counts: CountMap = new Map()
      for (let n = 0; n < 200; n++) counts.set(Math.floor(2 ** (random() * 31)), Math.ceil(2 ** (random() * 53)))
      expect(unpackCounts(packCounts(counts))).toEqual(new Map(sortById(counts)))
    }
  })

  it('of several days can be summed', () => {
    const random = seededRandom(11)
    const days = Array.from(
      { length: 20 },
      (): CountMap =>
        new Map(Array.from({ length: 900 }, () => [Math.floor(random() * 3_000), Math.ceil(random() * 90)])),
    )
    const expected: CountMap = new Map()
    for (const day of days) for (const [id, count] of day) addCount(expected, id, count)
    const table = new CountTable()
    for (const day of days) addPackedCounts(table, packCounts(day) as string)
    const sums: [number, number][] = []
    table.forEach((count, id) => {
      sums.push([id, count])
    })
    expect(sums).toEqual(sortById(expected))
  })

  it('are rejected when they are truncated', () => {
    expect(() => unpackCounts(Buffer.of(5).toString('base64'))).toThrow('truncated')
    expect(() => unpackCounts(Buffer.of(200).toString('base64'))).toThrow('truncated')
    expect(() => unpackCounts(Buffer.of(0x80, 0).toString('base64'))).toThrow('truncated')
  })

  it('leave out counts of 0', () => {
    expect(packCounts(new Map([[5, 0]]))).toBe(null)
  })

  it('take less than three bytes for a page', () => {
    const pages = new Map(Array.from({ length: 5_000 }, (_, n) => [100_000 + 3 * n, 1 + (n % 90)]))
    expect(packCounts(pages)?.length).toBeLessThan(5_000 * 3)
  })
})

/**
 * Stored data must stay readable: never change the base64 texts below. For each new version of the format, add a text for
 * `counts` and one for `hours`.
 */
describe('stored counts', () => {
  const counts = new Map([
    [1, 3],
    [2, 1],
    [130, 40_000],
    [70_000, 128],
    [2_147_483_647, Number.MAX_SAFE_INTEGER],
  ])
  const hours = new Map([
    [0, 5],
    [23, 200],
  ])

  it.each([
    ['0, which has no version byte,', 'AQMBAYABwLgC7qEEgAGP3fv/B/////////8P', 'AAUXyAE='],
    ['1', 'gAABAQMBAYABwLgC7qEEgAGP3fv/B/////////8P', 'gAABAAUXyAE='],
  ])('of version %s can be read', (_version, storedCounts, storedHours) => {
    expect(unpackCounts(storedCounts)).toEqual(counts)
    expect(unpackCounts(storedHours)).toEqual(hours)
  })

  it('are written in version 1', () => {
    expect(packCounts(counts)).toBe('gAABAQMBAYABwLgC7qEEgAGP3fv/B/////////8P')
    expect(packCounts(hours)).toBe('gAABAAUXyAE=')
  })

  it('of visits by slot are never null, because null means that they are not counted', () => {
    expect(packVisitSlots(new Map())).toBe('gAAB')
    expect(unpackCounts('gAAB')).toEqual(new Map())
    const slots = new Map([
      [192, 4],
      [7 * 1_024 + 192, 1],
      [2 ** 31 - 1, 2],
    ])
    expect(packVisitSlots(slots)).toBe('gAABwAEEgDgBv8b//wcC')
    expect(unpackCounts(packVisitSlots(slots))).toEqual(slots)
  })

  it('of an unknown version are rejected', () => {
    const storedText = Buffer.of(0x80, 0, 2, 1, 1).toString('base64')
    expect(() => unpackCounts(storedText)).toThrow('Packed data of version 2: only versions up to 1 can be read.')
  })
})
