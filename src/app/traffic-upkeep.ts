/** What a worker does about traffic, again and again. */

import { Rounds } from '../lib/rounds.ts'
import { countWaiting, tryAgain } from '../traffic/inbox/store.ts'
import { packDays } from '../traffic/packing/pack.ts'
import { keepMonths } from '../traffic/retention/partitions.ts'
import { sweepRemoved } from '../traffic/retention/removal.ts'
import type { Services } from './services.ts'

/** Statistics are exact without it; it keeps whoever asks from having to wait. */
const ADD_UP_MS = 1_000
const PACK_MS = 600_000
const SWEEP_MS = 60_000

export async function keepTraffic(services: Pick<Services, 'clock' | 'config' | 'db' | 'log' | 'metrics' | 'rollup'>) {
  await tryAgain(services.db)
  const { log, metrics, rollup } = services
  const rounds = [
    keepMonths(services),
    new Rounds({
      name: 'adding up events',
      everyMs: ADD_UP_MS,
      log,
      work: async (signal) => {
        await rollup.addUpAll(undefined, signal)
        metrics.noteWaitingEvents(await countWaiting(services.db))
      },
    }),
    new Rounds({ name: 'packing days', everyMs: PACK_MS, log, work: (signal) => packDays(services, signal) }),
    new Rounds({
      name: 'sweeping out deleted traffic',
      everyMs: SWEEP_MS,
      log,
      work: (signal) => sweepRemoved(services, signal),
    }),
  ]
  for (const round of rounds) void round.start()
  return { stop: () => Promise.all(rounds.map((round) => round.stop())) }
}
