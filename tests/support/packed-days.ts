/** Moves the visits and events of days that are over into blocks. */
import type { Clock } from '../../src/lib/clock.ts'
import type { Database } from '../../src/storage/database.ts'
import { blockColumns } from '../../src/traffic/blocks/block.ts'
import { insertBlock, readBlocks } from '../../src/traffic/blocks/block-store.ts'
import { packPart } from '../../src/traffic/blocks/pack-part.ts'
import { ALL_VISITORS, readCompleteRows, type WebsiteDay } from '../../src/traffic/blocks/row-store.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'

interface SavedRows extends WebsiteDay {
  visits: string
  events: string | null
}

/**
 * Packs the days of a website. If `keepsRows` is set, the first visitor of each day has rows again afterwards, as if a late
 * event had arrived: then readers must skip this visitor in the blocks.
 */
export async function packIntoBlocks(
  { db, clock }: { db: Database; clock: Clock },
  websiteId: number,
  { keepsRows = false } = {},
): Promise<void> {
  const savedRows = keepsRows ? await saveFirstVisitors(db, websiteId) : []
  await packDays({ db, clock })
  const days = await db.query<WebsiteDay & Record<string, unknown>>(
    `select website_id as "websiteId", day::text as day
       from traffic_days
      where website_id = $1 and is_packed
        and (block_set is null or exists (select from visits v where v.website_id = $1 and v.day = traffic_days.day))`,
    [websiteId],
  )
  for (const day of days) await moveIntoBlocks(db, day)
  for (const rows of savedRows) await restoreVisitor(db, rows)
}

async function saveFirstVisitors(db: Database, websiteId: number): Promise<SavedRows[]> {
  return db.query<SavedRows & Record<string, unknown>>(
    `with first_visits as materialized (
       select v.*
         from visits v
         join (select day, min(visitor) as visitor from visits where website_id = $1 group by day) f
           on f.day = v.day and f.visitor = v.visitor
        where v.website_id = $1
     )
     select v.website_id as "websiteId", v.day::text as day, jsonb_agg(to_jsonb(v))::text as visits,
            (select jsonb_agg(to_jsonb(e) order by e.at, e.ctid)::text
               from events e
              where e.website_id = $1 and e.visit_id = any (array_agg(v.id))) as events
       from first_visits v
      group by v.website_id, v.day`,
    [websiteId],
  )
}

async function restoreVisitor(db: Database, { websiteId, day, visits, events }: SavedRows): Promise<void> {
  await db.transaction(async (q) => {
    const packedDays = await q.query(
      'update traffic_days set is_packed = false where website_id = $1 and day = $2 and block_set > 0 returning 1',
      [websiteId, day],
    )
    if (packedDays.length === 0) return
    await q.query('insert into visits select * from jsonb_populate_recordset(null::visits, $1::jsonb)', [visits])
    await q.query('insert into events select * from jsonb_populate_recordset(null::events, $1::jsonb)', [events])
  })
}

async function moveIntoBlocks(db: Database, websiteDay: WebsiteDay): Promise<void> {
  const { websiteId, day } = websiteDay
  await db.transaction(async (q) => {
    const rows = await readCompleteRows(q, websiteDay, ALL_VISITORS, true)
    const blocks = await readBlocks(q, websiteId, [day], blockColumns)
    const newBlocks = packPart({ rows, blocks: blocks.map(({ row }) => row) })
    await q.query('delete from traffic_blocks where website_id = $1 and day = $2', [websiteId, day])
    for (const block of newBlocks) await insertBlock(q, websiteDay, block)
    await q.query('delete from visits where website_id = $1 and day = $2', [websiteId, day])
    await q.query('delete from events where website_id = $1 and day = $2', [websiteId, day])
    await q.query(`update traffic_days set block_set = nextval('block_sets') where website_id = $1 and day = $2`, [
      websiteId,
      day,
    ])
  })
}
