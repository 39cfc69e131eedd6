/** Blocks that are damaged, or that somebody changed. Decoding and counting end soon, with a BlockError or with numbers. */
import { crc32, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createRandomRows, toPart, toRows } from '../../../tests/support/random-part.ts'
import { createRandomSource } from '../../../tests/support/random-source.ts'
import { DetailsCounter } from '../counting/count-details.ts'
import { StatisticsCounter } from '../counting/count-part.ts'
import { UntilCounter } from '../counting/count-until.ts'
import { BlockColumns } from '../counting/part-columns.ts'
import { dimensionNames } from '../model/dimensions.ts'
import { type Block, type BlockColumn, blockColumns } from './block.ts'
import { BlockError, ColumnWriter, openColumn, sealColumn } from './column-bytes.ts'
import { decodeBlock } from './decode-block.ts'
import { encodeBlock } from './encode-block.ts'

const MAX_BYTES = 2 ** 20
const MB = 2 ** 20

const rows = createRandomRows(311, { visitorCount: 6, hasOddTotals: true })
const block = encodeBlock(toPart(rows))
const storedColumns = blockColumns.filter((name) => block.columns[name] != null)

const readColumn = (name: BlockColumn): Uint8Array => {
  const column = block.columns[name]
  if (column == null) throw new Error(`The column ${name} is empty`)
  return column
}
const replaceColumn = (name: BlockColumn, bytes: Uint8Array): Block => ({
  ...block,
  columns: { ...block.columns, [name]: bytes },
})
const decodeWith = (name: BlockColumn, bytes: Uint8Array) => () => decodeBlock(replaceColumn(name, bytes))
const flipBits = (bytes: Uint8Array, index: number, bits: number) => {
  const changed = Uint8Array.from(bytes)
  changed[index] = (changed[index] as number) ^ bits
  return changed
}

/** Sets the length in the header, and a checksum that is right. */
function declareLength(column: Uint8Array, length: number): Uint8Array {
  const changed = Buffer.from(column)
  changed.writeUInt32LE(length, 4)
  changed.writeUInt32LE(crc32(changed.subarray(4)), 0)
  return changed
}

/** Decodes and counts everything. Only a BlockError may come out of it, or numbers. */
function expectErrorOrNumbers(changed: Block): void {
  for (const use of [decodeAndCheck, countEverything]) {
    try {
      use(changed)
    } catch (error) {
      if (!(error instanceof BlockError)) throw error
    }
  }
}

function decodeAndCheck(changed: Block): void {
  const { visits, events } = toRows(decodeBlock(changed))
  for (const { visitor, id, startedAt, lastAt, views, actions, hourBits, values } of visits) {
    const numbers = [visitor, id, startedAt, lastAt, views, actions, hourBits, ...Object.values(values)]
    if (!numbers.every(Number.isSafeInteger)) throw new Error(`A visit has ${numbers}`)
  }
  for (const { kind, at, hour, page, name, engagedMs } of events) {
    if (!Number.isSafeInteger(at) || kind === undefined) throw new Error(`An event has the time ${at}`)
    if (!(hour >= 0 && hour < 31)) throw new Error(`An event has the hour ${hour}`)
    if (!(page >= 0 && name >= 0 && (engagedMs === null || engagedMs >= 0)))
      throw new Error('An event has negative numbers')
  }
}

function countEverything(changed: Block): void {
  const conditions = [{ dimension: 'page' as const, ids: [1, 2, 3] }]
  const statistics = new StatisticsCounter({
    kind: 'statistics',
    conditions: [],
    panels: dimensionNames,
    totals: true,
    hours: true,
  })
  const until = new UntilCounter(conditions, rows.visits[0]?.startedAt ?? 0)
  for (const counter of [statistics, new DetailsCounter('source', conditions), until])
    counter.add(new BlockColumns(changed), undefined)
  for (const totals of [statistics.totals, until.totals])
    if (!Object.values(totals).every(Number.isFinite)) throw new Error(`The totals are ${JSON.stringify(totals)}`)
}

it('has every column', () => {
  expect(storedColumns).toEqual(blockColumns)
  expectErrorOrNumbers(block)
  expect(() => countEverything(block)).not.toThrow()
})

describe.each(storedColumns)('the column %s', (name) => {
  const column = readColumn(name)

  it('can be cut off nowhere', () => {
    for (let step = 0; step < 12; step++) {
      const length = step < 9 ? step : Math.floor((column.length * (step - 8)) / 4) - 1
      if (length < column.length) expect(decodeWith(name, column.slice(0, length))).toThrow(BlockError)
    }
  })

  it('can be continued with nothing', () => {
    expect(decodeWith(name, Buffer.concat([column, Buffer.alloc(1)]))).toThrow(BlockError)
    const content = openColumn(column, MAX_BYTES)
    expect(decodeWith(name, sealColumn(Buffer.concat([content, Buffer.alloc(1)])))).toThrow(BlockError)
    expect(decodeWith(name, sealColumn(content.slice(0, -1)))).toThrow(BlockError)
  })

  it('has a checksum that notices every changed byte', () => {
    for (let index = 0; index < column.length; index++)
      expect(decodeWith(name, flipBits(column, index, 1 << (index % 8)))).toThrow(BlockError)
  })

  it('never breaks decoding or counting, even with the right checksum', () => {
    const content = openColumn(column, MAX_BYTES)
    for (let index = 0; index < content.length; index += Math.ceil(content.length / 8))
      for (const bits of [1, 0xff])
        expectErrorOrNumbers(replaceColumn(name, sealColumn(flipBits(content, index, bits))))
  })

  it('cannot claim to be huge', () => {
    for (const length of [2 ** 32 - 1, 2 ** 31, 2 ** 30 + 1])
      expect(decodeWith(name, declareLength(column, length))).toThrow(BlockError)
    expect(decodeWith(name, declareLength(column, 0))).toThrow(BlockError)
  })
})

it('survives swapped columns', () => {
  for (const [index, name] of storedColumns.entries()) {
    for (const distance of [1, 5, 17]) {
      const other = storedColumns[(index + distance) % storedColumns.length] as BlockColumn
      expectErrorOrNumbers(replaceColumn(name, readColumn(other)))
    }
  }
})

it('survives columns that are null, as if all values were the default', () => {
  for (const name of storedColumns) expectErrorOrNumbers({ ...block, columns: { ...block.columns, [name]: null } })
})

it('survives many changes with the right checksums', () => {
  const random = createRandomSource(302)
  for (let round = 0; round < 60; round++) {
    const columns = { ...block.columns }
    for (let change = 0; change < 4; change++) {
      const name = storedColumns[Math.floor(random.uniform() * storedColumns.length)] as BlockColumn
      const content = openColumn(columns[name] as Uint8Array, MAX_BYTES)
      const index = Math.floor(random.uniform() * content.length)
      columns[name] = sealColumn(flipBits(content, index, Math.floor(random.uniform() * 256)))
    }
    expectErrorOrNumbers({ ...block, columns })
  }
})

describe('a block whose sizes are wrong', () => {
  it.each(['visitors', 'visits', 'hits', 'events'] as const)('is refused: %s', (size) => {
    const sizes = [-1, 0, block[size] - 1, block[size] + 1, 2 ** 24, 2 ** 24 + 1, 2 ** 31 - 1, Number.NaN]
    for (const wrongSize of sizes) expect(() => decodeBlock({ ...block, [size]: wrongSize })).toThrow(BlockError)
    for (const wrongSize of sizes) expectErrorOrNumbers({ ...block, [size]: wrongSize })
  })

  it('takes little memory', () => {
    const before = process.memoryUsage.rss()
    const size = 2 ** 24
    const huge = { ...block, visitors: size, visits: size, hits: size, events: size }
    expect(() => decodeBlock(huge)).toThrow(BlockError)
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MB)
  })
})

it.each([0, 2, 255, -1])('refuses the version %i', (version) => {
  expect(() => decodeBlock({ ...block, version })).toThrow(BlockError)
  expect(() => new BlockColumns({ ...block, version })).toThrow(BlockError)
})

describe('a column that zstd would make huge', () => {
  const length = 32 * MB
  const bomb = Buffer.concat([Buffer.alloc(8), zstdCompressSync(Buffer.alloc(length))])

  it.each(['durations', 'page', 'props', 'orphans'] as const)('is refused in %s', (name) => {
    const before = process.memoryUsage.rss()
    for (const declared of [100, length, 2 ** 32 - 1])
      expect(decodeWith(name, declareLength(bomb, declared))).toThrow(BlockError)
    expect(process.memoryUsage.rss() - before).toBeLessThan(300 * MB)
  })
})

/** A column as an attacker would write it. */
function writeColumn(write: (writer: ColumnWriter) => void): Uint8Array {
  const writer = new ColumnWriter()
  write(writer)
  return writer.seal()
}
const repeat = (value: number, count: number) => new Float64Array(count).fill(value)

describe('columns that somebody wrote to do harm', () => {
  const { visitors, visits, hits, events } = block
  const cases: { what: string; name: BlockColumn; column: Uint8Array }[] = [
    {
      what: 'more visits than a number can hold',
      name: 'visit_counts',
      column: writeColumn((writer) => writer.writeNumbers(repeat(2 ** 31 - 1, visitors))),
    },
    {
      what: 'negative numbers of visits that add up',
      name: 'visit_counts',
      // Adding 1 to the first number overflows. The next two make up for it.
      column: writeColumn((writer) =>
        writer.writeNumbers(
          Int32Array.from({ length: visitors }, (_, visitor) =>
            visitor === 0 ? 2 ** 31 - 1 : visitor < 3 ? 2 ** 30 - 1 : visitor === 3 ? visits - visitors + 3 : 0,
          ),
        ),
      ),
    },
    {
      what: 'an hour that counting would never reach',
      name: 'first_hours',
      column: writeColumn((writer) => writer.writeNumbers(repeat(31, visits))),
    },
    {
      what: 'a negative hour',
      name: 'hour_steps',
      column: writeColumn((writer) => writer.writeNumbers(repeat(99, hits))),
    },
    {
      what: 'a custom event after the last hit',
      name: 'custom_hits',
      column: writeColumn((writer) => {
        writer.writeUint32(1)
        writer.writeNumbers(repeat(hits, 1))
      }),
    },
    {
      what: 'visitors that are all the same',
      name: 'visitor_ids',
      column: writeColumn((writer) => {
        writer.writeFloat64(5)
        writer.writeNumbers(repeat(0, visitors))
      }),
    },
    ...[Number.NaN, Number.POSITIVE_INFINITY, 0.5, 1e300].map((base) => ({
      what: `visits that begin at ${base}`,
      name: 'starts' as const,
      column: writeColumn((writer) => {
        writer.writeFloat64(base)
        writer.writeNumbers(repeat(0, visits))
      }),
    })),
    {
      what: 'events after the end of time',
      name: 'event_gaps',
      column: writeColumn((writer) => writer.writeNumbers(repeat(Number.MAX_SAFE_INTEGER, events))),
    },
    {
      what: 'visits that never end',
      name: 'durations',
      column: writeColumn((writer) => writer.writeNumbers(repeat(Number.MAX_SAFE_INTEGER, visits))),
    },
    {
      what: 'a dictionary that is longer than the column',
      name: 'page',
      column: writeColumn((writer) => writer.writeUint32(2 ** 32 - 1)),
    },
    {
      what: 'properties that are no text',
      name: 'props',
      column: writeColumn((writer) => {
        writer.writeNumbers(repeat(1, events))
        writer.writeBytes(Buffer.from('[null,{"toString":1}]'))
      }),
    },
    ...['{}', '[null]', '[{}]', '[{"kind":"3"}]', '[[]]', '"x"', '[', '\u{fffd}'].map((text) => ({
      what: `no events but ${text}`,
      name: 'orphans' as const,
      column: sealColumn(Buffer.from(text)),
    })),
  ]

  it.each(cases)('are refused: $what', ({ name, column }) => {
    expect(decodeWith(name, column)).toThrow(BlockError)
    expectErrorOrNumbers(replaceColumn(name, column))
  })
})
