/**
 * Reads the visits and events of a day, from its blocks and from its rows, without loading more than one part into memory.
 * Exports run in a process of their own, so they decode the parts themselves instead of passing them to the traffic threads.
 */
import type { TransactionQueries } from '../../storage/transaction.ts'
import { type BlockKey, listPartNumbers, readBlock, readStoredDays } from '../blocks/block-store.ts'
import { removeVisitors, TARGET_EVENTS_PER_PART } from '../blocks/combine-parts.ts'
import { readPart } from '../blocks/pack-part.ts'
import {
  countRanges,
  findRangeLimits,
  listRanges,
  listRowVisitors,
  measureEventRows,
  readCompleteRows,
  type WebsiteDay,
} from '../blocks/row-store.ts'
import type { TrafficPart } from '../blocks/traffic-part.ts'

/** Each part has other visitors. The parts are in no particular order. `q` must be a transaction that reads one snapshot. */
export async function* readDayParts(q: TransactionQueries, day: WebsiteDay): AsyncGenerator<TrafficPart> {
  const [storedDay] = await readStoredDays(q, { websiteId: day.websiteId, from: day.day, to: day.day })
  if (storedDay === undefined) return
  const { hasRows, blockSet } = storedDay
  if (blockSet > 0) {
    const rowVisitors = hasRows ? await listRowVisitors(q, day) : undefined
    for (const part of await listPartNumbers(q, day)) yield readStoredPart(q, { ...day, part }, rowVisitors)
  }
  if (!hasRows) return
  const rangeCount = countRanges(await measureEventRows(q, day), TARGET_EVENTS_PER_PART)
  const ranges = listRanges(await findRangeLimits(q, day, rangeCount))
  for (const [index, range] of ranges.entries())
    yield readPart({ rows: await readCompleteRows(q, day, range, index === 0), blocks: [] })
}

/** Decodes a block, without the visitors that have rows. */
export async function readStoredPart(
  q: TransactionQueries,
  block: BlockKey,
  rowVisitors: Float64Array | undefined,
): Promise<TrafficPart> {
  const row = await readBlock(q, block)
  const part = readPart({ rows: undefined, blocks: row === undefined ? [] : [row] })
  return rowVisitors === undefined ? part : removeVisitors(part, rowVisitors)
}
