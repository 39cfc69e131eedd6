/** The blocks that are made from rows and earlier blocks. */
import { describe, expect, it } from 'vitest'
import { writeBlockRow, writeRawRows } from '../../../tests/support/copy-rows.ts'
import { createRandomRows } from '../../../tests/support/random-part.ts'
import { packPart, readPart } from './pack-part.ts'
import { countRanges } from './row-store.ts'

const DAY = '2026-10-25'

describe('the ranges of a day', () => {
  it.each([
    ['few events', { count: 10, propsBytes: 0 }, 1],
    ['many events', { count: 1_001, propsBytes: 1_000 }, 3],
    ['long properties', { count: 1_000, propsBytes: 200 * 1024 * 1024 }, 4],
  ])('have a bounded size with %s', (_, sizes, expectedCount) => {
    expect(countRanges(sizes, 500)).toBe(expectedCount)
  })
})

describe('a packed part', () => {
  it('must fit into a backup', () => {
    const input = { rows: writeRawRows(createRandomRows(300), true), blocks: [] }
    expect(packPart(input)).toHaveLength(1)
    expect(() => packPart(input, 1_000)).toThrow(/^The events of one visitor take \d+ bytes, more than the 1000 /)
  })

  it('without visitors is known by its events, and comes before all visitors', () => {
    const events = createRandomRows(302, { visitorCount: 0 }).events
    const times = events.map(({ at }) => at)
    expect(times.length).toBeGreaterThan(1)
    const blocks = packPart({ rows: writeRawRows({ visits: [], events }, true), blocks: [] })
    expect(blocks).toMatchObject([
      {
        visitors: 0,
        firstVisitor: -1,
        firstStartedAt: null,
        lastStartedAt: null,
        firstEventAt: new Date(Math.min(...times)),
        lastEventAt: new Date(Math.max(...times)),
      },
    ])
    const rows = blocks.map((block) => writeBlockRow(DAY, block))
    const read = (range: { from: number | undefined; to: number | undefined }) =>
      readPart({ rows: undefined, blocks: rows, range }).orphans.length
    expect(read({ from: undefined, to: 9 })).toBe(times.length)
    expect(read({ from: 9, to: undefined })).toBe(0)
  })
})
