/** Rolls up the checks of each hour, and the hours of each day, after the hour or day has ended. */
import { setTimeout as delay } from 'node:timers/promises'
import { addMs, type Clock } from '../lib/clock.ts'
import { DAY_MS, HOUR_MS } from '../shared/time.ts'
import type { Database } from '../storage/database.ts'
import type { Queries } from '../storage/transaction.ts'
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

/**
 * An hour can be rolled up when all its results are written. A check takes up to a minute, and writing its result takes
 * up to 40 s.
 */
const ROLLUP_DELAY_MS = 120_000
/**
 * Monitors per transaction. With 100,000 monitors and 60 checks each, an hour took 20 slices of 1 s, and a day took 50
 * slices of 0.85 s, measured with the embedded database on two busy cores.
 */
const MONITORS_PER_SLICE = { hour: 5_000, day: 2_000 }
const DELAY_BETWEEN_SLICES_MS = 50
const HOUR_RETENTION_MS = 3 * DAY_MS
const DAY_RETENTION_MS = 400 * DAY_MS

interface Deps {
  db: Database
  clock: Clock
  monitorsPerSlice?: Record<RollupInterval['period'], number>
}

export async function rollUpChecks(deps: Deps, signal: AbortSignal): Promise<void> {
  for (let next = await findNextInterval(deps); next !== undefined; next = await findNextInterval(deps)) {
    if (!(await rollUp(deps, next, signal))) return
  }
}

/** Returns the next hour or day to roll up. Days come first, because their hours are deleted after three days. */
async function findNextInterval(deps: Deps): Promise<RollupInterval | undefined> {
  const { db, clock } = deps
  const doneUntil = await readRollupProgress(db)
  const dayEnd = addMs(doneUntil.day, DAY_MS)
  if (dayEnd <= doneUntil.hour) return { period: 'day', startsAt: doneUntil.day, endsAt: dayEnd }
  const hoursEnd = floorToStep(HOUR_MS, addMs(clock.now(), -ROLLUP_DELAY_MS))
  if (hoursEnd <= doneUntil.hour) return undefined
  const startsAt = (await findHourWithChecks(db, doneUntil.hour, hoursEnd)) ?? hoursEnd
  if (startsAt > doneUntil.hour) await skipEmptyHours(db, startsAt, floorToStep(DAY_MS, startsAt))
  if (startsAt < hoursEnd) return { period: 'hour', startsAt, endsAt: addMs(startsAt, HOUR_MS) }
  return findNextInterval(deps)
}

type SliceResult = 'more' | 'complete' | 'claimed elsewhere'

/**
 * Returns whether the interval is complete. Each slice and the progress are written in one transaction, so after a
 * crash the next run continues where this one ended.
 */
async function rollUp(deps: Deps, interval: RollupInterval, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    const result = await deps.db.transaction((q) => rollUpSlice(q, deps, interval))
    if (result !== 'more') return result === 'complete'
    await delay(DELAY_BETWEEN_SLICES_MS, undefined, { signal })
  }
  return false
}

async function rollUpSlice(
  q: Queries,
  { monitorsPerSlice = MONITORS_PER_SLICE }: Deps,
  interval: RollupInterval,
): Promise<SliceResult> {
  const slice = await claimSlice(q, interval, monitorsPerSlice[interval.period])
  if (slice === undefined) return 'claimed elsewhere'
  if (interval.period === 'hour') await rollUpHourSlice(q, interval, slice)
  else await rollUpDaySlice(q, interval, slice, computeRetentionStarts(interval.endsAt))
  return (await completeSlice(q, interval, slice)) ? 'complete' : 'more'
}

function computeRetentionStarts(end: Date) {
  return { hoursFrom: addMs(end, -HOUR_RETENTION_MS), daysFrom: addMs(end, -DAY_RETENTION_MS) }
}
