/** Moves the rows of a day into blocks. The caller's transaction holds the lock on the day, so no rollup changes it in the meantime. */
import type { TransactionQueries } from '../../storage/transaction.ts'
import {
  deleteParts,
  insertBlock,
  listPartNumbers,
  listVisitorRanges,
  readBlock,
  renumberParts,
} from '../blocks/block-store.ts'
import {
  ALL_VISITORS,
  countRanges,
  countRawRows,
  deleteRows,
  type EventRowSizes,
  findRangeLimits,
  hasOrphanRows,
  listRanges,
  measureEventRows,
  packingPlannerSettings,
  readCompleteRows,
  type VisitorRange,
  type WebsiteDay,
} from '../blocks/row-store.ts'
import type { TrafficThreads } from '../threads/traffic-threads.ts'

/** The rows of this many events, with their visits, take about 50 MB, and a thread packs them in about 5 s. Days with more are packed in ranges of visitors. */
const MAX_EVENTS_PER_RANGE = 500_000

export interface BlockDeps {
  trafficThreads: Pick<TrafficThreads, 'pack'>
  /** Tests use smaller ranges. */
  maxEventsPerRange?: number
}

/** Visitors whose rows and block, if they have one, become new blocks. */
interface Replacement {
  /** undefined if the day has no blocks. */
  part: number | undefined
  range: VisitorRange
}

/** Returns whether the day has blocks afterwards. Only parts with visitors that have rows are written again. */
export async function packRows(q: TransactionQueries, day: WebsiteDay, deps: BlockDeps): Promise<'blocks' | 'none'> {
  await q.batch(packingPlannerSettings)
  const storedParts = await listVisitorRanges(q, day)
  const writer = new BlockWriter(q, day, deps, await measureEventRows(q, day))
  if (storedParts.length === 0) await writer.replace({ part: undefined, range: ALL_VISITORS })
  // Parts without visitors never change.
  const partsWithVisitors = new Set(storedParts.map(({ part }) => part))
  for (const part of await listPartNumbers(q, day)) if (!partsWithVisitors.has(part)) writer.keep(part)
  // The first part with visitors also gets the events that belong to no visit.
  const mustReplaceFirst = storedParts.length > 0 && (await hasOrphanRows(q, day))
  for (const [index, { part, fromVisitor, toVisitor, hasRows }] of storedParts.entries()) {
    const range = { from: fromVisitor ?? undefined, to: toVisitor ?? undefined }
    if (hasRows || (mustReplaceFirst && index === 0)) await writer.replace({ part, range })
    else writer.keep(part)
  }
  await writer.finish()
  return writer.blockCount > 0 ? 'blocks' : 'none'
}

class BlockWriter {
  blockCount = 0
  readonly #q: TransactionQueries
  readonly #day: WebsiteDay
  readonly #deps: BlockDeps
  readonly #eventRows: EventRowSizes
  readonly #packedRows = { visits: 0, events: 0 }
  readonly #ranges: VisitorRange[] = []
  readonly #replacedParts: number[] = []
  readonly #keptParts: { part: number; newPart: number }[] = []

  constructor(q: TransactionQueries, day: WebsiteDay, deps: BlockDeps, eventRows: EventRowSizes) {
    this.#q = q
    this.#day = day
    this.#deps = deps
    this.#eventRows = eventRows
  }

  keep(part: number): void {
    this.#keptParts.push({ part, newPart: this.blockCount++ })
  }

  async replace({ part, range }: Replacement): Promise<void> {
    const rangeCount = countRanges(this.#eventRows, this.#deps.maxEventsPerRange ?? MAX_EVENTS_PER_RANGE)
    const limits = await findRangeLimits(this.#q, this.#day, rangeCount, range)
    for (const subrange of listRanges(limits, range)) await this.#packRange(part, subrange)
    if (part !== undefined) this.#replacedParts.push(part)
  }

  async #packRange(part: number | undefined, range: VisitorRange): Promise<void> {
    const { websiteId } = this.#day
    const rows = await readCompleteRows(this.#q, this.#day, range, range.from === undefined)
    const { visits, events } = countRawRows(rows)
    this.#packedRows.visits += visits
    this.#packedRows.events += events
    this.#ranges.push(range)
    const block = part === undefined ? undefined : await readBlock(this.#q, { ...this.#day, part })
    const blocks = block === undefined ? [] : [block]
    for (const newBlock of await this.#deps.trafficThreads.pack(websiteId, { rows, blocks, range })) {
      // The earlier parts still have their numbers, so new ones have negative numbers until the end.
      const number = this.blockCount++
      await insertBlock(this.#q, this.#day, { ...newBlock, part: part === undefined ? number : -1 - number })
    }
  }

  async finish(): Promise<void> {
    const deletedRows = await deleteRows(this.#q, this.#day, this.#ranges, this.#eventRows.count)
    for (const table of ['visits', 'events'] as const) {
      if (deletedRows[table] === this.#packedRows[table]) continue
      throw new Error(`${this.#packedRows[table]} rows of ${table} were packed, but there are ${deletedRows[table]}.`)
    }
    if (this.#replacedParts.length === 0) return
    await deleteParts(this.#q, this.#day, this.#replacedParts)
    const changes = this.#keptParts.filter(({ part, newPart }) => part !== newPart)
    await renumberParts(this.#q, this.#day, changes)
  }
}
