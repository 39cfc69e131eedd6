/** When the beats of a heartbeat are expected. This module is pure. */
import { addMs } from '../lib/clock.ts'
import { findNextTime } from '../lib/cron.ts'
import type { HeartbeatOptions } from '../monitors/option-schemas.ts'
import { SECOND_MS } from '../shared/time.ts'

export interface BeatSchedule {
  /** null if `cron` is set. */
  periodMs: number | null
  cron: string | null
  timeZone: string
  graceMs: number
}

export function toBeatSchedule(options: HeartbeatOptions, serverTimeZone: string): BeatSchedule {
  return {
    periodMs: options.period === null ? null : options.period * SECOND_MS,
    cron: options.cron,
    timeZone: options.time_zone ?? serverTimeZone,
    graceMs: options.grace * SECOND_MS,
  }
}

/** Returns a text that changes when the schedule changes. The grace is not part of it. */
export const describeSchedule = ({ periodMs, cron, timeZone }: BeatSchedule) =>
  cron === null ? `every ${periodMs} ms` : `${cron} ${timeZone}`

/**
 * A beat that arrives up to this long before a scheduled time belongs to that time, because the clock of the job's machine may be ahead of
 * ours.
 */
const EARLY_TOLERANCE_MS = 10 * SECOND_MS
/** A beat that arrived in time may still be on its way into the database when its deadline passes. */
const STORE_MARGIN_MS = SECOND_MS
/** The expected time if a schedule has no next time. */
const NEVER = new Date('9999-01-01T00:00:00Z')

/** Returns the first time after the beat at which another one is expected. */
export function findExpectedAt({ periodMs, cron, timeZone }: BeatSchedule, lastBeatAt: Date): Date {
  if (cron === null) return addMs(lastBeatAt, periodMs ?? 0)
  return findNextTime(cron, timeZone, addMs(lastBeatAt, EARLY_TOLERANCE_MS)) ?? NEVER
}

/** Returns when to check whether the beat that was expected at `expectedAt` is missing. */
export const toDeadline = ({ graceMs }: BeatSchedule, expectedAt: Date) => addMs(expectedAt, graceMs + STORE_MARGIN_MS)

/** Returns the first expected time whose deadline is after `now`. */
export function findExpectedAfter(schedule: BeatSchedule, lastBeatAt: Date, now: Date): Date {
  const expectedAt = findExpectedAt(schedule, lastBeatAt)
  const lateMs = now.getTime() - toDeadline(schedule, expectedAt).getTime()
  if (lateMs < 0) return expectedAt
  const { periodMs, cron, timeZone, graceMs } = schedule
  if (cron !== null) return findNextTime(cron, timeZone, addMs(now, -graceMs - STORE_MARGIN_MS)) ?? NEVER
  const missedPeriods = Math.floor(lateMs / (periodMs ?? 1)) + 1
  return addMs(expectedAt, missedPeriods * (periodMs ?? 1))
}
