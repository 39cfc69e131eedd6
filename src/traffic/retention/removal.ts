/** What is left of a deleted website can be asked for by nobody; here it goes for good. */
import type { Database } from '../../storage/database.ts'
import { lockTraffic } from '../rollup/store.ts'
import { deleteTrafficBatch, findRemovedWebsite, finishRemoval, trafficTables } from './removal-store.ts'

export async function deleteRemovedTraffic({ db }: { db: Database }, signal?: AbortSignal): Promise<void> {
  for (let id = await findRemovedWebsite(db); id !== undefined && !signal?.aborted; id = await findRemovedWebsite(db)) {
    // Whoever found the website there is done after this, and nobody finds it again.
    await db.transaction(lockTraffic)
    for (const table of trafficTables) while (!signal?.aborted && (await deleteTrafficBatch(db, table, id)));
    if (!signal?.aborted) await finishRemoval(db, id)
  }
}
