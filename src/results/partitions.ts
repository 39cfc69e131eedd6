/** Keeps the partitions of checks: made ahead of time, dropped when their hour is in the rollups and nobody asks for it. */
import type { Logger } from 'pino'
import { after, type Clock } from '../lib/clock.ts'
import { Rounds } from '../lib/rounds.ts'
import type { Database } from '../storage/database.ts'
import { floorTo, HOUR_MS } from './hours.ts'
import {
  deleteStrays,
  dropPartition,
  hasStrays,
  listHours,
  makePartition,
  nameOf,
  readAddedUp,
} from './partitions-store.ts'

const ROUND_MS = 60_000
/** This hour and the next two, so that a backup may take so long without anything going elsewhere. */
const AHEAD = 3
/** After the end of the hour. The longest question about single checks goes back 24 hours. */
const KEEP_MS = 26 * HOUR_MS

interface Needs {
  db: Database
  clock: Clock
  log: Logger
}

export function keepPartitions(needs: Needs): Rounds {
  const work = async (signal: AbortSignal) => {
    await makeAhead(needs)
    if (!signal.aborted) await dropOld(needs, signal)
  }
  return new Rounds({ name: 'keeping the partitions of checks', everyMs: ROUND_MS, log: needs.log, work })
}

async function makeAhead({ db, clock, log }: Needs): Promise<void> {
  const there = new Set((await listHours(db)).map(Number))
  const now = floorTo(HOUR_MS, clock.now())
  for (let ahead = 0; ahead < AHEAD; ahead++) {
    const hour = after(now, ahead * HOUR_MS)
    if (there.has(Number(hour)) || (await hasStrays(db, hour))) continue
    if (await makePartition(db, hour)) log.debug({ partition: nameOf(hour) }, 'partition made')
  }
}

async function dropOld({ db, clock, log }: Needs, signal: AbortSignal): Promise<void> {
  const tooOld = floorTo(HOUR_MS, after(clock.now(), -KEEP_MS))
  const addedUp = await readAddedUp(db)
  const before = tooOld < addedUp ? tooOld : addedUp
  for (const hour of await listHours(db)) {
    if (signal.aborted || after(hour, HOUR_MS) > before) break
    if (await dropPartition(db, hour)) log.debug({ partition: nameOf(hour) }, 'partition dropped')
  }
  while (!signal.aborted && (await deleteStrays(db, before)));
}
