/** Decodes what row-store.ts and block-store.ts read. Runs mostly in the traffic threads. */
import {
  decodeInt2Array,
  decodeInt4,
  decodeInt4Array,
  decodeInt8Array,
  decodeTextArray,
  decodeTimeArray,
  readFields,
} from '../../storage/copy-binary.ts'
import { type VisitDimension, type VisitorDimension, visitDimensions, visitorDimensions } from '../model/dimensions.ts'
import type { Block, BlockColumn } from './block.ts'
import type { RawRows } from './row-store.ts'
import { buildPart, type EventRows, type VisitRows } from './rows-to-part.ts'
import type { TrafficPart } from './traffic-part.ts'

type Field = Uint8Array | null

export function parseRows({ visits, events, columns }: RawRows): TrafficPart {
  return buildPart(parseVisits(visits), parseEvents(events, columns))
}

/** PostgreSQL's array_agg returns null if there are no rows. */
const decodeIfAny = <T>(field: Field | undefined, decode: (field: Uint8Array) => T, empty: T): T =>
  field == null ? empty : decode(field)
const int4s = (field: Field | undefined) => decodeIfAny(field, decodeInt4Array, new Int32Array(0))
const int2s = (field: Field | undefined) => Int32Array.from(decodeIfAny(field, decodeInt2Array, new Int16Array(0)))
const int8s = (field: Field | undefined) => decodeIfAny(field, decodeInt8Array, new Float64Array(0))

const times = (field: Field | undefined) => decodeIfAny(field, decodeTimeArray, new Float64Array(0))

function parseVisits([row]: readonly Uint8Array[]): VisitRows {
  const fields = row === undefined ? [] : readFields(row)
  const [visitors, ids, startedAt, lastAt, views, actions, hours, ...values] = fields
  const names = [...visitDimensions, ...visitorDimensions]
  return {
    visitors: int8s(visitors),
    ids: int8s(ids),
    startedAt: times(startedAt),
    lastAt: times(lastAt),
    views: int4s(views),
    actions: int4s(actions),
    hourBits: int4s(hours),
    values: Object.fromEntries(names.map((name, index) => [name, int4s(values[index])])) as Record<
      VisitDimension | VisitorDimension,
      Int32Array
    >,
  }
}

function parseEvents([row]: readonly Uint8Array[], columns: RawRows['columns']): EventRows {
  const [visitIds, kinds, hours, pages, names, at, engagedMs, props] = row === undefined ? [] : readFields(row)
  const ids = int8s(visitIds)
  const texts = columns === 'all' && props != null ? decodeTextArray(props) : undefined
  return {
    visitIds: ids,
    kinds: int2s(kinds),
    hours: int2s(hours),
    pages: int4s(pages),
    names: int4s(names),
    at: columns === 'hits' ? new Float64Array(ids.length) : times(at),
    engagedMs: columns === 'all' ? int4s(engagedMs) : new Int32Array(ids.length).fill(-1),
    props: texts?.some((text) => text !== null) ? texts : undefined,
  }
}

/**
 * Parses the rows of a block. Each has the day, the version, the sizes, a position in `columns`, and the columns from this position on.
 * The columns that no row has are null.
 */
export function parseBlock(rows: readonly Uint8Array[], columns: readonly BlockColumn[]): Block {
  const block: Block = { version: 0, visitors: 0, visits: 0, hits: 0, events: 0, columns: {} }
  for (const name of columns) block.columns[name] = null
  for (const row of rows) {
    const [, version, visitors, visits, hits, events, position, ...fields] = readFields(row)
    const size = (field: Field | undefined) => decodeIfAny(field, decodeInt4, 0)
    Object.assign(block, {
      version: size(version),
      visitors: size(visitors),
      visits: size(visits),
      hits: size(hits),
      events: size(events),
    })
    for (const [index, field] of fields.entries()) {
      const name = columns[size(position) + index]
      if (name !== undefined) block.columns[name] = field
    }
  }
  return block
}
