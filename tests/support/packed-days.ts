/** Moves the visits and events of days that are over into blocks. */
import type { Database } from '../../src/storage/database.ts'
import type { WebsiteDay } from '../../src/traffic/blocks/row-store.ts'
import { type PackingDeps, packDays } from '../../src/traffic/packing/pack-days.ts'

interface SavedRows extends WebsiteDay {
  visits: string
  events: string | null
}

/**
 * Packs the days of a website. If `keepsRows` is set, the first visitor of each day has rows again afterwards, as if a late
 * event had arrived: then readers must skip this visitor in the blocks.
 */
export async function packIntoBlocks(deps: PackingDeps, websiteId: number, { keepsRows = false } = {}): Promise<void> {
  const savedRows = keepsRows ? await saveFirstVisitors(deps.db, websiteId) : []
  await packDays(deps)
  for (const rows of savedRows) await restoreVisitor(deps.db, rows)
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
