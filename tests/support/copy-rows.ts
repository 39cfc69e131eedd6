/** Writes rows in PostgreSQL's binary format, as `copyRows` returns them. */
import { type Block, type BlockColumn, blockColumns } from '../../src/traffic/blocks/block.ts'
import type { RawRows } from '../../src/traffic/blocks/row-store.ts'
import { visitDimensions, visitorDimensions } from '../../src/traffic/model/dimensions.ts'
import { eventKinds } from '../../src/traffic/model/event.ts'
import type { SampleRows } from './random-part.ts'

const EPOCH_MS = Date.parse('2000-01-01')
const TYPES = { int2: 21, int4: 23, int8: 20, timestamptz: 1184, text: 25 } as const

function int4(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}

function int2(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int8(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(value))
  return bytes
}

const encoders = {
  int2,
  int4,
  int8,
  timestamptz: (value: number) => int8((value - EPOCH_MS) * 1000),
}

const writeField = (field: Uint8Array | null) =>
  field === null ? int4(-1) : Buffer.concat([int4(field.length), field])

/** The threads take over the memory of a row, so it must not share it with other rows. */
export function writeRow(fields: readonly (Uint8Array | null)[]): Uint8Array {
  return new Uint8Array(Buffer.concat([int2(fields.length), ...fields.map(writeField)]))
}

function writeArray(type: keyof typeof TYPES, elements: readonly (Buffer | null)[]): Buffer | null {
  if (elements.length === 0) return null
  const header = [1, Number(elements.includes(null)), TYPES[type], elements.length, 1].map(int4)
  return Buffer.concat([...header, ...elements.map(writeField)])
}

const writeNumbers = (type: keyof typeof encoders, values: readonly number[]) =>
  writeArray(
    type,
    values.map((value) => encoders[type](value)),
  )

/** What `readRowVisitors` returns. */
export const writeVisitors = (visitors: readonly number[]): Uint8Array[] => [
  writeRow([
    writeNumbers(
      'int8',
      visitors.toSorted((one, other) => one - other),
    ),
  ]),
]

/** What `readCompleteRows` returns, or `readHitRows` unless `isComplete`. */
export function writeRawRows({ visits, events }: SampleRows, isComplete: boolean): RawRows {
  const hits = events.filter(({ kind }) => isComplete || kind !== 'engagement')
  return {
    visits: [
      writeRow([
        writeNumbers(
          'int8',
          visits.map(({ visitor }) => visitor),
        ),
        writeNumbers(
          'int8',
          visits.map(({ id }) => id),
        ),
        writeNumbers(
          'timestamptz',
          visits.map(({ startedAt }) => startedAt),
        ),
        writeNumbers(
          'timestamptz',
          visits.map(({ lastAt }) => lastAt),
        ),
        writeNumbers(
          'int4',
          visits.map(({ views }) => views),
        ),
        writeNumbers(
          'int4',
          visits.map(({ actions }) => actions),
        ),
        writeNumbers(
          'int4',
          visits.map(({ hourBits }) => hourBits),
        ),
        ...[...visitDimensions, ...visitorDimensions].map((name) =>
          writeNumbers(
            'int4',
            visits.map(({ values }) => values[name]),
          ),
        ),
      ]),
    ],
    events: [
      writeRow([
        writeNumbers(
          'int8',
          hits.map(({ visitId }) => visitId),
        ),
        writeNumbers(
          'int2',
          hits.map(({ kind }) => eventKinds[kind]),
        ),
        writeNumbers(
          'int2',
          hits.map(({ hour }) => hour),
        ),
        writeNumbers(
          'int4',
          hits.map(({ page }) => page),
        ),
        writeNumbers(
          'int4',
          hits.map(({ name }) => name),
        ),
        ...(isComplete
          ? [
              writeNumbers(
                'timestamptz',
                hits.map(({ at }) => at),
              ),
              writeNumbers(
                'int4',
                hits.map(({ engagedMs }) => engagedMs ?? -1),
              ),
              writeArray(
                'text',
                hits.map(({ props }) => (props === null ? null : Buffer.from(props))),
              ),
            ]
          : []),
      ]),
    ],
    columns: isComplete ? 'all' : 'hits',
  }
}

/** A row of `readBlocks`. */
export function writeBlockRow(day: string, block: Block, columns: readonly BlockColumn[] = blockColumns): Uint8Array {
  const date = int4((Date.parse(day) - EPOCH_MS) / 86_400_000)
  const { version, visitors, visits, hits, events } = block
  const sizes = [version, visitors, visits, hits, events].map(int4)
  return writeRow([date, ...sizes, int4(0), ...columns.map((name) => block.columns[name] ?? null)])
}
