/** Adds checks up to hours and hours to days, once they are over. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { addMs, type Clock } from '../lib/clock.ts'
import { PeriodicJob } from '../lib/periodic-job.ts'
import { DAY_MS, HOUR_MS } from '../shared/time.ts'
import type { Queries } from '../storage/client.ts'
import type { Database } from '../storage/database.ts'
import { floorToStep } from './hours.ts'
import { findHourWithChecks } from './partitions-store.ts'
import {
  claimSlice,
  completeSlice,
  type RollupInterval,
  readRollupProgress,
  rollUpDaySlice,
  rollUpHourSlice,
  skipEmptyHours,
} from './rollup-store.ts'

const ROUND_MS = 30_000
/** A check begins up to a minute before it is known, and is written at most 40 s later. */
const SETTLE_MS = 120_000
/**
 * Monitors at a time. An hour of 100,000 monitors with 60 checks each took 20 slices of 1 s, 19 to 25 s in all; a day of them
 * 50 of 0.85 s; beside a load that kept both cores busy. The database was the embedded one.
 */
const SLICES = { hour: 5_000, day: 2_000 }
const BREATH_MS = 50
const KEEP_HOURS_MS = 3 * DAY_MS
const KEEP_DAYS_MS = 400 * DAY_MS

interface Deps {
  db: Database
  clock: Clock
  log: Logger
  /** Monitors at a time. */
  slices?: Record<RollupInterval['period'], number>
}

export function keepRollups(needs: Deps): PeriodicJob {
  const work = (signal: AbortSignal) => addUpAll(needs, signal)
  return new PeriodicJob({ name: 'adding up checks', everyMs: ROUND_MS, log: needs.log, work })
}

async function addUpAll(needs: Deps, signal: AbortSignal): Promise<void> {
  for (let next = await findNext(needs); next !== undefined; next = await findNext(needs)) {
    if (!(await addUp(needs, next, signal))) return
  }
}

/** Days first: what they are made of is removed after some of them. */
async function findNext(needs: Deps): Promise<RollupInterval | undefined> {
  const { db, clock } = needs
  const done = await readRollupProgress(db)
  const dayEnd = addMs(done.day, DAY_MS)
  if (dayEnd <= done.hour) return { period: 'day', startsAt: done.day, endsAt: dayEnd }
  const settled = floorToStep(HOUR_MS, addMs(clock.now(), -SETTLE_MS))
  if (settled <= done.hour) return undefined
  const startsAt = (await findHourWithChecks(db, done.hour, settled)) ?? settled
  if (startsAt > done.hour) await skipEmptyHours(db, startsAt, floorToStep(DAY_MS, startsAt))
  if (startsAt < settled) return { period: 'hour', startsAt, endsAt: addMs(startsAt, HOUR_MS) }
  return findNext(needs)
}

type Outcome = 'more' | 'done' | 'taken'

/** A slice and how far it reaches are written together, so whoever goes on after a crash begins where it ended. */
async function addUp(needs: Deps, stretch: RollupInterval, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const outcome = await needs.db.transaction((q) => addSlice(q, needs, stretch))
    if (outcome !== 'more') return outcome === 'done'
    await pause(BREATH_MS, undefined, { signal })
  }
  return false
}

async function addSlice(q: Queries, { slices = SLICES }: Deps, stretch: RollupInterval): Promise<Outcome> {
  const slice = await claimSlice(q, stretch, slices[stretch.period])
  if (slice === undefined) return 'taken'
  if (stretch.period === 'hour') await rollUpHourSlice(q, stretch, slice)
  else await rollUpDaySlice(q, stretch, slice, keepFrom(stretch.endsAt))
  return (await completeSlice(q, stretch, slice)) ? 'done' : 'more'
}

function keepFrom(end: Date) {
  return { hoursFrom: addMs(end, -KEEP_HOURS_MS), daysFrom: addMs(end, -KEEP_DAYS_MS) }
}
