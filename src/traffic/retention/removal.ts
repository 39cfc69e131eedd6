/** Deletes the traffic of deleted websites. Nobody can read it any more, so this is not urgent. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../storage/database.ts'
import { tryLockPacking } from '../packing/store.ts'
import { lockTraffic } from '../rollup/store.ts'
import { deleteTrafficBatch, findRemovedWebsiteId, finishRemoval, trafficTables } from './removal-store.ts'

const PACKING_RECHECK_MS = 100

export async function deleteRemovedTraffic({ db }: { db: Database }, signal?: AbortSignal): Promise<void> {
  for (
    let id = await findRemovedWebsiteId(db);
    id !== undefined && !signal?.aborted;
    id = await findRemovedWebsiteId(db)
  ) {
    // Waits for a rollup that began before the website was deleted, and for the packing of its days. Later ones ignore the website.
    await db.transaction(lockTraffic)
    const websiteId = id
    while (!(await db.transaction((q) => tryLockPacking(q, websiteId)))) await delay(PACKING_RECHECK_MS)
    for (const table of trafficTables) while (!signal?.aborted && (await deleteTrafficBatch(db, table, id)));
    if (!signal?.aborted) await finishRemoval(db, id)
  }
}
