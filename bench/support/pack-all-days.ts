import { systemClock } from '../../src/lib/clock.ts'
import type { Database } from '../../src/storage/database.ts'
import { packDays } from '../../src/traffic/packing/pack-days.ts'
import { TrafficThreads } from '../../src/traffic/threads/traffic-threads.ts'

/** Packs all days that are over, as the server's job does. */
export async function packAllDays(db: Database): Promise<void> {
  const trafficThreads = new TrafficThreads()
  try {
    await packDays({ db, clock: systemClock, trafficThreads, cluster: { areAllUpgraded: () => true } })
  } finally {
    trafficThreads.close()
  }
}
