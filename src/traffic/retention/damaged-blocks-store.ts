/** SQL that checks single blocks, and that deletes the blocks of a day. */
import { daySql, numberSql } from '../../storage/copy-literals.ts'
import type { Queries } from '../../storage/transaction.ts'
import { blockColumns } from '../blocks/block-format.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'

export interface BlockKey extends WebsiteDay {
  part: number
}

export async function listDayBlocks(q: Queries, { websiteId, day }: WebsiteDay): Promise<BlockKey[]> {
  const rows = await q.query<{ part: number }>(
    'select part from traffic_blocks where website_id = $1 and day = $2 order by part',
    [websiteId, day],
  )
  return rows.map(({ part }) => ({ websiteId, day, part }))
}

/** The columns are in the order that `parseBlock` expects. */
export function buildBlockSelect({ websiteId, day, part }: BlockKey): string {
  return `select day, version::integer, visitors, visits, hits, events, 0, ${blockColumns.join(', ')}
            from belfry.traffic_blocks
           where website_id = ${numberSql(websiteId)} and day = ${daySql(day)} and part = ${numberSql(part)}`
}

/** Waits until nobody packs the day. Call it in a transaction. */
export async function deleteDayBlocks(q: Queries, { websiteId, day }: WebsiteDay): Promise<void> {
  await q.batch(
    { text: 'select from traffic_days where website_id = $1 and day = $2 for update', values: [websiteId, day] },
    { text: 'delete from traffic_blocks where website_id = $1 and day = $2', values: [websiteId, day] },
    { text: 'update traffic_days set block_set = 0 where website_id = $1 and day = $2', values: [websiteId, day] },
  )
}
