import { describe, expect, it } from 'vitest'
import { seededRandom } from '../demo/random.ts'
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { packVisits, unpackVisits, type VisitorWithVisits } from './packed-visits.ts'

function createVisitors(seed: number, count: number): VisitorWithVisits[] {
  const random = seededRandom(seed)
  const randomNumber = (bits: number) => Math.floor(2 ** (random() * bits)) - 1
  const createOneToThree = <T>(create: () => T) => Array.from({ length: 1 + Math.floor(random() * 3) }, create)
  return Array.from({ length: count }, () => ({
    values: visitorDimensions.map(() => randomNumber(20)),
    visits: createOneToThree(() => ({
      values: visitDimensions.map(() => randomNumber(20)),
      durationMs: randomNumber(27),
      isBounce: random() < 0.5,
      hits: createOneToThree(() => {
        const isView = random() < 0.7
        return {
          isView,
          hour: Math.floor(random() * 25),
          pageId: randomNumber(22),
          eventNameId: isView ? 0 : randomNumber(31),
        }
      }),
    })),
  }))
}

describe('packed visits', () => {
  it.each([0, 1, 300])('of %i visitors unpack to the original', (count) => {
    const visitors = createVisitors(3, count)
    expect([...unpackVisits(packVisits(visitors))]).toEqual(visitors)
  })

  it('are rejected when they are truncated', () => {
    const bytes = Buffer.from(packVisits(createVisitors(5, 1)), 'base64')
    expect(() => [...unpackVisits(bytes.subarray(0, -1).toString('base64'))]).toThrow('truncated')
  })
})

/** Stored data must stay readable: never change the base64 texts below. Add one for each new version of the format. */
describe('stored visits', () => {
  /** Appends a 0, which stands for unknown, for each dimension that was added after the visits were stored. */
  const pad = (values: number[], length: number) => [...values, ...Array(length - values.length).fill(0)]
  const toVisitorValues = (...values: number[]) => pad(values, visitorDimensions.length)
  const toVisitValues = (...values: number[]) => pad(values, visitDimensions.length)

  const visitors: VisitorWithVisits[] = [
    {
      values: toVisitorValues(1, 0, 300, 4, 5, 6, 7, 8),
      visits: [
        {
          values: toVisitValues(9, 10, 0, 11, 70_000),
          durationMs: 1_860_000,
          isBounce: false,
          hits: [
            { isView: true, hour: 0, pageId: 9, eventNameId: 0 },
            { isView: false, hour: 24, pageId: 9, eventNameId: 12 },
            { isView: true, hour: 24, pageId: 10, eventNameId: 0 },
          ],
        },
        {
          values: toVisitValues(9, 9, 13, 14, 0),
          durationMs: 0,
          isBounce: true,
          hits: [{ isView: true, hour: 13, pageId: 9, eventNameId: 0 }],
        },
      ],
    },
    {
      values: toVisitorValues(0, 0, 0, 0, 0, 0, 0, 0),
      visits: [
        {
          values: toVisitValues(0, 0, 0, 0, 0),
          durationMs: 0,
          isBounce: false,
          hits: [{ isView: false, hour: 3, pageId: 9, eventNameId: 12 }],
        },
      ],
    },
  ]

  it.each([
    ['0, which has no version byte,', 'AQCsAgQFBgcIAgkKAAvwogSgw3EGAQkwCQwxCgkJDQ4AAAMbCQAAAAAAAAAAAQAAAAAAAAIGCQw='],
    ['1', 'gAABCAUBAKwCBAUGBwgCCQoAC/CiBKDDcQYBCTAJDDEKCQkNDgAAAxsJAAAAAAAAAAABAAAAAAAAAgYJDA=='],
  ])('of version %s can be read', (_version, storedText) => {
    expect([...unpackVisits(storedText)]).toEqual(visitors)
  })

  it('have unknown values for dimensions that were added after they were packed', () => {
    // One bounce, as a version of Belfry with two visitor dimensions and one visit dimension would have written it.
    const storedText = Buffer.of(0x80, 0, 1, 2, 1, 5, 6, 1, 9, 0, 3, 1, 9).toString('base64')
    expect([...unpackVisits(storedText)]).toEqual([
      {
        values: toVisitorValues(5, 6),
        visits: [
          {
            values: toVisitValues(9),
            durationMs: 0,
            isBounce: true,
            hits: [{ isView: true, hour: 0, pageId: 9, eventNameId: 0 }],
          },
        ],
      },
    ])
  })

  it('of an unknown version are rejected', () => {
    const storedText = Buffer.of(0x80, 0, 9).toString('base64')
    expect(() => [...unpackVisits(storedText)]).toThrow('Packed data of version 9: only versions up to 1 can be read.')
  })
})
