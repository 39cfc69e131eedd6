/** The round trip of random parts, and a block that version 1 stored. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  createRandomRows,
  type RandomRowsOptions,
  shuffleRows,
  sortRows,
  toPart,
  toRows,
} from '../../../tests/support/random-part.ts'
import { BLOCK_VERSION, type Block, blockColumns } from './block.ts'
import { encodeIds, expandIds, readCodedColumn } from './coded-column.ts'
import { ColumnReader, openColumn } from './column-bytes.ts'
import { decodeBlock } from './decode-block.ts'
import { encodeBlock } from './encode-block.ts'

const cases: { name: string; seed: number; options?: RandomRowsOptions }[] = [
  { name: 'one visitor', seed: 1, options: { visitorCount: 1 } },
  { name: 'twenty visitors', seed: 2 },
  { name: 'visits whose totals contradict their events', seed: 3, options: { hasOddTotals: true } },
  { name: 'unknown values', seed: 4, options: { unknownDimensions: ['source', 'country', 'page', 'event'] } },
  { name: 'large ids', seed: 5, options: { idOffset: 2 ** 31 - 100 } },
  { name: 'many visitors', seed: 6, options: { visitorCount: 100, hasOddTotals: true } },
  ...Array.from({ length: 14 }, (_, index) => ({
    name: `seed ${100 + index}`,
    seed: 100 + index,
    options: { visitorCount: 1 + (index % 9), hasOddTotals: index % 2 === 0 },
  })),
]

describe.each(cases)('a part with $name', ({ seed, options }) => {
  const rows = createRandomRows(seed, options)
  const part = toPart(rows)

  it('has all rows, in the order of visitor, visit and time', () => {
    expect(toRows(part)).toEqual(sortRows(rows))
  })

  it('does not depend on the order of the rows', () => {
    expect(toPart(shuffleRows(rows, seed))).toEqual(part)
  })

  it('is the same after encoding and decoding', () => {
    expect(decodeBlock(encodeBlock(part))).toEqual(part)
  })
})

describe('a block', () => {
  it('has only the columns of the table', () => {
    const block = encodeBlock(toPart(createRandomRows(7)))
    expect(Object.keys(block.columns).sort()).toEqual(blockColumns.toSorted())
  })

  it('can have events without a visit and nothing else', () => {
    const { events } = createRandomRows(8)
    const orphans = { visits: [], events: events.filter(({ visitId }) => visitId === 0) }
    expect(orphans.events.length).toBeGreaterThan(0)
    expect(toRows(decodeBlock(encodeBlock(toPart(orphans))))).toEqual(sortRows(orphans))
  })

  it('can be empty', () => {
    const part = toPart({ visits: [], events: [] })
    expect(decodeBlock(encodeBlock(part))).toEqual(part)
  })

  it('keeps the largest visitor ids and times of visits years apart', () => {
    const rows = createRandomRows(9, { visitorCount: 2 })
    const [first, ...others] = rows.visits
    if (first === undefined) throw new Error('There are no visits')
    const visits = [
      { ...first, visitor: Number.MAX_SAFE_INTEGER },
      ...others.map((visit) => ({ ...visit, visitor: 0 })),
    ]
    const part = toPart({ visits: [...visits, { ...first, visitor: 1, id: 2 ** 52, startedAt: 0 }], events: [] })
    expect(decodeBlock(encodeBlock(part))).toEqual(part)
  })
})

describe('a column of ids', () => {
  it.each([1, 255, 256, 257, 65_537])('can have %i different ids', (count) => {
    const ids = Int32Array.from({ length: count + 3 }, (_, index) => (index * 7) % count)
    const column = encodeIds(ids.map((id) => id + 1))
    if (column === null) throw new Error('The column has no values')
    const reader = new ColumnReader(openColumn(column, 2 ** 20))
    const decoded = expandIds(readCodedColumn(reader, ids.length))
    expect([decoded.length, decoded.findIndex((id, index) => id !== (ids[index] as number) + 1)]).toEqual([
      ids.length,
      -1,
    ])
  })
})

interface StoredExample extends Omit<Block, 'columns'> {
  /** In base64. */
  columns: Record<string, string | null>
  rows: unknown
}

describe('stored formats', () => {
  // When the version increases, keep this list and add an example: what `encodeBlock` makes of some random rows.
  it.each([1])('reads a block of version %i', (version) => {
    const example: StoredExample = JSON.parse(
      readFileSync(new URL(`../../../tests/traffic/stored-blocks/version-${version}.json`, import.meta.url), 'utf8'),
    )
    const columns = Object.fromEntries(
      Object.entries(example.columns).map(([name, bytes]) => [
        name,
        bytes === null ? null : Buffer.from(bytes, 'base64'),
      ]),
    )
    expect(example.version).toBe(version)
    expect(toRows(decodeBlock({ ...example, columns }))).toEqual(example.rows)
  })

  it('has an example of the current version', () => {
    expect(BLOCK_VERSION).toBe(1)
  })
})
