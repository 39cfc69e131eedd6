/**
 * Turns visitors of packed days into rows again, before late events are added to their visits. The rows are copies: readers skip a
 * visitor in the blocks as soon as the visitor has rows, and the day is packed again later.
 */
import type { TransactionQueries } from '../../storage/transaction.ts'
import { listVisitorRanges, readBlock } from '../blocks/block-store.ts'
import { BlockError } from '../blocks/column-bytes.ts'
import type { TrafficThreads } from '../threads/traffic-threads.ts'
import { findRowVisitors, insertPart, markUnpacked } from './restore-store.ts'
import { dayKey, lockDays } from './store.ts'
import { type VisitorDay, visitorDayKey } from './visits.ts'

/** Decoding a large block takes about 60 ms. Other days wait for the next slice. */
const MAX_DAYS = 20

export type RestorableVisitor = Pick<VisitorDay, 'websiteId' | 'day' | 'visitor'>

export interface RestoredVisitors {
  /** The keys of visitors whose visits are all in rows now. They either were restored, or are not in the blocks. */
  completeKeys: Set<string>
  /** The keys of visitors in damaged blocks, with the error. */
  faults: Map<string, string>
}

export const nothingRestored: RestoredVisitors = { completeKeys: new Set(), faults: new Map() }

/**
 * Restores those of the visitors that are in blocks. Locks their days until the end of the transaction, and leaves out days that
 * another transaction has locked.
 */
export async function restoreVisitors(
  q: TransactionQueries,
  threads: Pick<TrafficThreads, 'read'>,
  visitors: readonly RestorableVisitor[],
): Promise<RestoredVisitors> {
  const visitorsByDay = [...Map.groupBy(visitors, dayKey)].slice(0, MAX_DAYS)
  const days = visitorsByDay.map(([, [first]]) => first as RestorableVisitor)
  const { blockSets } = await lockDays(q, days)
  const restored: RestoredVisitors = { completeKeys: new Set(), faults: new Map() }
  for (const [key, visitorsOfDay] of visitorsByDay) {
    if (blockSets.has(key)) await restoreDay(q, threads, visitorsOfDay, restored)
  }
  return restored
}

async function restoreDay(
  q: TransactionQueries,
  threads: Pick<TrafficThreads, 'read'>,
  visitors: readonly RestorableVisitor[],
  { completeKeys, faults }: RestoredVisitors,
): Promise<void> {
  const { websiteId, day } = visitors[0] as RestorableVisitor
  const ids = visitors.map(({ visitor }) => visitor)
  const rowVisitors = await findRowVisitors(q, { websiteId, day }, ids)
  const missingIds = ids.filter((id) => !rowVisitors.has(id))
  for (const { part, fromVisitor, toVisitor } of await listVisitorRanges(q, { websiteId, day })) {
    const isInRange = (id: number) => id >= (fromVisitor ?? id) && (toVisitor === null || id < toVisitor)
    const idsOfPart = new Set(missingIds.filter(isInRange))
    if (idsOfPart.size === 0) continue
    try {
      const block = await readBlock(q, { websiteId, day, part })
      const blocks = block === undefined ? [] : [block]
      const stored = await threads.read(websiteId, { rows: undefined, blocks, visitors: idsOfPart })
      if (stored.visitors.ids.length === 0) continue
      await q.batch(...insertPart({ websiteId, day }, stored), markUnpacked({ websiteId, day }))
    } catch (error) {
      if (!(error instanceof BlockError)) throw error
      for (const id of idsOfPart) faults.set(visitorDayKey({ websiteId, day, visitor: id }), error.message)
    }
  }
  for (const visitor of visitors) if (!faults.has(visitorDayKey(visitor))) completeKeys.add(visitorDayKey(visitor))
}
