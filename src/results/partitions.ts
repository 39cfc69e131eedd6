/** Keeps the partitions of checks: made ahead of time, dropped when their hour is in the rollups and nobody asks for it. */
import type { Logger } from 'pino'
import { addMs, type Clock } from '../lib/clock.ts'
import { PeriodicJob } from '../lib/periodic-job.ts'
import { HOUR_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import { floorToStep } from './hours.ts'
import {
  createPartition,
  deleteFromDefault,
  dropPartition,
  hasChecksInDefault,
  listPartitionHours,
  partitionName,
  readRolledUpUntil,
} from './partitions-store.ts'

const ROUND_MS = 60_000
/** This hour and the next two, so that a backup may take so long without anything going elsewhere. */
const AHEAD = 3
/** After the end of the hour. The longest question about single checks goes back 24 hours. */
const KEEP_MS = 26 * HOUR_MS

interface Deps {
  db: Database
  clock: Clock
  log: Logger
}

export function keepPartitions(needs: Deps): PeriodicJob {
  const work = async (signal: AbortSignal) => {
    await makeAhead(needs)
    if (!signal.aborted) await dropOld(needs, signal)
  }
  return new PeriodicJob({ name: 'keeping the partitions of checks', everyMs: ROUND_MS, log: needs.log, work })
}

async function makeAhead({ db, clock, log }: Deps): Promise<void> {
  const there = new Set((await listPartitionHours(db)).map(Number))
  const now = floorToStep(HOUR_MS, clock.now())
  for (let ahead = 0; ahead < AHEAD; ahead++) {
    const hour = addMs(now, ahead * HOUR_MS)
    if (there.has(Number(hour)) || (await hasChecksInDefault(db, hour))) continue
    if (await createPartition(db, hour)) log.debug({ partition: partitionName(hour) }, 'partition made')
  }
}

async function dropOld({ db, clock, log }: Deps, signal: AbortSignal): Promise<void> {
  const tooOld = floorToStep(HOUR_MS, addMs(clock.now(), -KEEP_MS))
  const addedUp = await readRolledUpUntil(db)
  const before = tooOld < addedUp ? tooOld : addedUp
  for (const hour of await listPartitionHours(db)) {
    if (signal.aborted || addMs(hour, HOUR_MS) > before) break
    if (await dropPartition(db, hour)) log.debug({ partition: partitionName(hour) }, 'partition dropped')
  }
  while (!signal.aborted && (await deleteFromDefault(db, before)));
}
