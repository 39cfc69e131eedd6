/** Stores single days in blocks, for tests of code that deletes or checks blocks. */
import type { Database } from '../../src/storage/database.ts'
import { insertBlock } from '../../src/traffic/blocks/block-store.ts'
import { packPart } from '../../src/traffic/blocks/pack-part.ts'
import { ALL_VISITORS, readCompleteRows } from '../../src/traffic/blocks/row-store.ts'

/** Moves the rows of a day into blocks. `otherDays` get the same blocks. */
export async function moveDayIntoBlocks(
  db: Database,
  websiteId: number,
  day: string,
  otherDays: readonly string[] = [],
): Promise<void> {
  await db.transaction(async (q) => {
    const blocks = packPart({
      rows: await readCompleteRows(q, { websiteId, day }, ALL_VISITORS, true),
      blocks: [],
    })
    await q.query('delete from events where website_id = $1 and day = $2', [websiteId, day])
    await q.query('delete from visits where website_id = $1 and day = $2', [websiteId, day])
    for (const blockDay of [day, ...otherDays]) {
      for (const block of blocks) await insertBlock(q, { websiteId, day: blockDay }, block)
      await q.query(
        `insert into traffic_days (website_id, day, visitors, views, visits, bounces, duration_ms, events, is_packed, block_set)
         values ($1, $2, 7, 8, 7, 0, 0, 2, true, nextval('block_sets'))
             on conflict (website_id, day) do update set is_packed = true, block_set = excluded.block_set`,
        [websiteId, blockDay],
      )
    }
  })
}
