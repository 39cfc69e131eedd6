import { describe, expect, it } from 'vitest'
import { randoms } from '../../../tests/support/check-results.ts'
import { visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import { type PackedVisitor, packVisits, unpackVisits } from './packed-visits.ts'

function makeVisitors(seed: number, size: number): PackedVisitor[] {
  const random = randoms(seed)
  const number = (bits: number) => Math.floor(2 ** (random() * bits)) - 1
  const some = <T>(make: () => T) => Array.from({ length: 1 + Math.floor(random() * 3) }, make)
  const values = <N extends string>(names: readonly N[]) =>
    Object.fromEntries(names.map((name) => [name, number(20)])) as Record<N, number>
  return Array.from({ length: size }, () => ({
    ...values(visitorDimensions),
    visits: some(() => ({
      ...values(visitDimensions),
      durationMs: number(27),
      isBounce: random() < 0.5,
      hits: some(() => {
        const isView = random() < 0.7
        return { isView, hour: Math.floor(random() * 25), page: number(22), name: isView ? 0 : number(31) }
      }),
    })),
  }))
}

describe('packed visits', () => {
  it.each([0, 1, 300])('come back as they were: of %i visitors', (size) => {
    const visitors = makeVisitors(3, size)
    expect([...unpackVisits(packVisits(visitors))]).toEqual(visitors)
  })

  it('that are cut off are refused', () => {
    const bytes = Buffer.from(packVisits(makeVisitors(5, 1)), 'base64')
    expect(() => [...unpackVisits(bytes.subarray(0, -1).toString('base64'))]).toThrow('cut off')
  })
})
