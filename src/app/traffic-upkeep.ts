/** What a worker does about traffic, again and again. */

import { PeriodicJob } from '../lib/periodic-job.ts'
import { countInboxEvents, retryFailedBatches } from '../traffic/inbox/store.ts'
import { packDays } from '../traffic/packing/pack-days.ts'
import { maintainTrafficPartitions } from '../traffic/retention/partitions.ts'
import { deleteRemovedTraffic } from '../traffic/retention/removal.ts'
import type { Services } from './services.ts'

/** Statistics are exact without it; it keeps whoever asks from having to wait. */
const ADD_UP_MS = 1_000
const PACK_MS = 600_000
const SWEEP_MS = 60_000

export async function keepTraffic(services: Pick<Services, 'clock' | 'config' | 'db' | 'log' | 'metrics' | 'rollup'>) {
  await retryFailedBatches(services.db)
  const { log, metrics, rollup } = services
  const rounds = [
    maintainTrafficPartitions(services),
    new PeriodicJob({
      name: 'adding up events',
      everyMs: ADD_UP_MS,
      log,
      work: async (signal) => {
        await rollup.rollUpAll(undefined, signal)
        metrics.setWaitingEvents(await countInboxEvents(services.db))
      },
    }),
    new PeriodicJob({ name: 'packing days', everyMs: PACK_MS, log, work: (signal) => packDays(services, signal) }),
    new PeriodicJob({
      name: 'sweeping out deleted traffic',
      everyMs: SWEEP_MS,
      log,
      work: (signal) => deleteRemovedTraffic(services, signal),
    }),
  ]
  for (const round of rounds) void round.start()
  return { stop: () => Promise.all(rounds.map((round) => round.stop())) }
}
