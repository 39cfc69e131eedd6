/** Creates the hourly partitions of `checks` ahead of time, and drops them after their hour has been rolled up. */
import type { Logger } from 'pino'
import { addMs, type Clock } from '../lib/clock.ts'
import { HOUR_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import { floorToStep } from './hours.ts'
import {
  createPartition,
  deleteChecksFromDefaultPartition,
  dropPartition,
  getPartitionName,
  hasChecksInDefaultPartition,
  listPartitionHours,
  readRolledUpUntil,
} from './partitions-store.ts'

/**
 * How many hours, beginning with the current one, get a partition in advance. A backup blocks the creation of
 * partitions. If it takes longer than these hours, checks go to the default partition.
 */
const PARTITIONS_TO_CREATE = 3
/** How long a partition is kept after its hour has ended. The API reads the last 24 hours; two more are a margin. */
const RETENTION_MS = 26 * HOUR_MS

interface Deps {
  db: Database
  clock: Clock
  log: Logger
}

export async function maintainCheckPartitions(deps: Deps, signal: AbortSignal): Promise<void> {
  await createUpcomingPartitions(deps)
  if (!signal.aborted) await dropOldPartitions(deps, signal)
}

async function createUpcomingPartitions({ db, clock, log }: Deps): Promise<void> {
  const existingHours = new Set((await listPartitionHours(db)).map(Number))
  const currentHour = floorToStep(HOUR_MS, clock.now())
  for (let ahead = 0; ahead < PARTITIONS_TO_CREATE; ahead++) {
    const hour = addMs(currentHour, ahead * HOUR_MS)
    if (existingHours.has(Number(hour)) || (await hasChecksInDefaultPartition(db, hour))) continue
    if (await createPartition(db, hour)) log.debug({ partition: getPartitionName(hour) }, 'created a partition')
  }
}

async function dropOldPartitions({ db, clock, log }: Deps, signal: AbortSignal): Promise<void> {
  const retentionStart = floorToStep(HOUR_MS, addMs(clock.now(), -RETENTION_MS))
  const rolledUpUntil = await readRolledUpUntil(db)
  const dropBefore = retentionStart < rolledUpUntil ? retentionStart : rolledUpUntil
  for (const hour of await listPartitionHours(db)) {
    if (signal.aborted || addMs(hour, HOUR_MS) > dropBefore) break
    if (await dropPartition(db, hour)) log.debug({ partition: getPartitionName(hour) }, 'dropped a partition')
  }
  while (!signal.aborted && (await deleteChecksFromDefaultPartition(db, dropBefore)));
}
