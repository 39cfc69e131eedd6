/** Makes new blocks from rows and earlier blocks of a day, and reads both as one part. */
import { type Block, blockColumns } from './block.ts'
import { BlockReader } from './block-reader.ts'
import type { NewBlock } from './block-store.ts'
import { mergeParts, selectVisitors, splitPart, TARGET_EVENTS_PER_PART } from './combine-parts.ts'
import { decodeBlock } from './decode-block.ts'
import { encodeBlock } from './encode-block.ts'
import { parseBlock, parseRows } from './parse-rows.ts'
import type { RawRows, VisitorRange } from './row-store.ts'
import { createTrafficPart, type TrafficPart } from './traffic-part.ts'

/** Rows and blocks of the same visitors. Visitors that have rows are skipped in the blocks. */
export interface PartInput {
  rows: RawRows | undefined
  /** With all columns. */
  blocks: readonly Uint8Array[]
  /** Reads only the visitors of this range from the blocks. `rows` has no others. */
  range?: VisitorRange
  /** Reads only these visitors from the blocks, without the events that belong to no visit. */
  visitors?: ReadonlySet<number>
}

export function readPart({ rows, blocks, range, visitors }: PartInput): TrafficPart {
  const stored = blocks
    .map((row) => readSelected(parseBlock([row], blockColumns), range, visitors))
    .reduce((merged, part) => mergeParts(part, merged), createTrafficPart(0, 0, 0))
  return rows === undefined ? stored : mergeParts(parseRows(rows), stored)
}

function readSelected(
  block: Block,
  range: VisitorRange | undefined,
  visitors: ReadonlySet<number> | undefined,
): TrafficPart {
  if (visitors !== undefined) {
    // Decoding the ids is much faster than decoding everything, and often none of the visitors is in the block.
    const hasAny = new BlockReader(block).readVisitorIds().some((id) => visitors.has(id))
    return hasAny ? selectVisitors(decodeBlock(block), (id) => visitors.has(id)) : createTrafficPart(0, 0, 0)
  }
  const { from, to } = range ?? {}
  const whole = decodeBlock(block)
  if (from === undefined && to === undefined) return whole
  const selected = selectVisitors(whole, (id) => (from === undefined || id >= from) && (to === undefined || id < to))
  // Exactly one range of a day has no lower limit, and it keeps the events without a visit.
  if (from === undefined) selected.orphans = whole.orphans
  return selected
}

/** A backup has a line for each block, with two digits for each byte, and its lines have at most 64 MiB. */
const MAX_BLOCK_BYTES = 30 * 1024 * 1024

/** Encodes the input as blocks. Their `part` counts up from 0. */
export function packPart(input: PartInput, maxBlockBytes = MAX_BLOCK_BYTES): NewBlock[] {
  const whole = readPart(input)
  if (whole.visits.ids.length === 0 && whole.orphans.length === 0) return []
  return splitPart(whole, TARGET_EVENTS_PER_PART).map((part, index) => {
    const block = encodeBlock(part)
    const byteLength = Object.values(block.columns).reduce((sum, column) => sum + (column?.byteLength ?? 0), 0)
    if (byteLength > maxBlockBytes) {
      throw new RangeError(
        `The events of one visitor take ${byteLength} bytes, more than the ${maxBlockBytes} that fit into a block. The day stays unpacked.`,
      )
    }
    return describeBlock(part, block, index)
  })
}

function describeBlock({ visitors, visits, events, orphans }: TrafficPart, block: Block, part: number): NewBlock {
  const starts = findSpan([visits.startedAt])
  const times = findSpan([events.at, Float64Array.from(orphans, ({ at }) => at)])
  return {
    ...block,
    part,
    firstVisitor: visitors.ids[0] ?? -1,
    firstStartedAt: starts && new Date(starts.first),
    lastStartedAt: starts && new Date(starts.last),
    firstEventAt: times && new Date(times.first),
    lastEventAt: times && new Date(times.last),
  }
}

function findSpan(columns: readonly Float64Array[]): { first: number; last: number } | null {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const column of columns) {
    for (const value of column) {
      if (value < first) first = value
      if (value > last) last = value
    }
  }
  return first > last ? null : { first, last }
}

/** Lists the memory behind the columns, for moving them to another thread. Columns may share it. */
export function listBuffers(columns: NewBlock['columns']): ArrayBuffer[] {
  const buffers = (Object.values(columns) as (Uint8Array | null)[]).flatMap((column) => column?.buffer ?? [])
  return [...new Set(buffers)] as ArrayBuffer[]
}
