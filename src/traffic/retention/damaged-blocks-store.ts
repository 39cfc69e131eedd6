/** SQL that deletes the blocks of a day. */
import type { Queries } from '../../storage/transaction.ts'
import type { WebsiteDay } from '../blocks/row-store.ts'

/** Waits until nobody packs the day. Rows of late events stay, and are packed later. Call it in a transaction. */
export async function deleteDayBlocks(q: Queries, { websiteId, day }: WebsiteDay): Promise<void> {
  await q.batch(
    { text: 'select from traffic_days where website_id = $1 and day = $2 for update', values: [websiteId, day] },
    { text: 'delete from traffic_blocks where website_id = $1 and day = $2', values: [websiteId, day] },
    { text: 'update traffic_days set block_set = 0 where website_id = $1 and day = $2', values: [websiteId, day] },
  )
}
