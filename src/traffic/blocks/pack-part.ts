/** Makes new blocks from rows and earlier blocks of a day, and reads both as one part. */
import { type Block, blockColumns, decodeBlock, encodeBlock } from './block.ts'
import type { NewBlock } from './block-store.ts'
import { MAX_EVENTS_PER_PART, mergeParts, splitPart } from './combine-parts.ts'
import { parseBlock, parseRows } from './parse-rows.ts'
import type { RawRows } from './row-store.ts'
import { createTrafficPart, type TrafficPart } from './traffic-part.ts'

/** Rows and blocks of the same range of visitors. Visitors that have rows are skipped in the blocks. */
export interface PartSources {
  rows: RawRows | undefined
  /** With all columns. */
  blocks: readonly Uint8Array[]
}

export function readPart({ rows, blocks }: PartSources): TrafficPart {
  const stored = blocks
    .map((row) => decodeBlock(parseBlock(row, blockColumns)))
    .reduce((merged, part) => mergeParts(merged, part), createTrafficPart(0, 0, 0))
  return rows === undefined ? stored : mergeParts(parseRows(rows), stored)
}

/** `part` is numbered from 0. */
export function packPart(sources: PartSources): NewBlock[] {
  const whole = readPart(sources)
  if (whole.visits.ids.length === 0 && whole.orphans.length === 0) return []
  return splitPart(whole, MAX_EVENTS_PER_PART).map((part, index) => describeBlock(part, encodeBlock(part), index))
}

function describeBlock({ visitors, visits, events, orphans }: TrafficPart, block: Block, part: number): NewBlock {
  const starts = findSpan([visits.startedAt])
  const times = findSpan([events.at, Float64Array.from(orphans, ({ at }) => at)])
  return {
    ...block,
    part,
    firstVisitor: visitors.ids[0] ?? 0,
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
