/** What is left of a deleted website can be asked for by nobody; here it goes for good. */
import type { Database } from '../../storage/database.ts'
import { holdTraffic } from '../rollup/store.ts'
import { deleteSome, findRemoved, forgetRemoved, trafficTables } from './removal-store.ts'

export async function sweepRemoved({ db }: { db: Database }, signal?: AbortSignal): Promise<void> {
  for (let id = await findRemoved(db); id !== undefined && !signal?.aborted; id = await findRemoved(db)) {
    // Whoever found the website there is done after this, and nobody finds it again.
    await db.transaction(holdTraffic)
    for (const table of trafficTables) while (!signal?.aborted && (await deleteSome(db, table, id)));
    if (!signal?.aborted) await forgetRemoved(db, id)
  }
}
