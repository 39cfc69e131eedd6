/** Deletes the traffic of deleted websites. Nobody can read it any more, so this is not urgent. */
import type { Database } from '../../storage/database.ts'
import { lockTraffic } from '../rollup/store.ts'
import { deleteTrafficBatch, findRemovedWebsiteId, finishRemoval, trafficTables } from './removal-store.ts'

export async function deleteRemovedTraffic({ db }: { db: Database }, signal?: AbortSignal): Promise<void> {
  for (
    let id = await findRemovedWebsiteId(db);
    id !== undefined && !signal?.aborted;
    id = await findRemovedWebsiteId(db)
  ) {
    // Waits for a rollup that began before the website was deleted. Later rollups ignore the website's events.
    await db.transaction(lockTraffic)
    for (const table of trafficTables) while (!signal?.aborted && (await deleteTrafficBatch(db, table, id)));
    if (!signal?.aborted) await finishRemoval(db, id)
  }
}
