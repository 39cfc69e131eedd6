/** Parses a request that creates or changes a maintenance. This module is pure. */
import { isDeepStrictEqual } from 'node:util'
import { addMs } from '../lib/clock.ts'
import { parseCron } from '../lib/cron.ts'
import { FieldParser, type ParseResult, parseDisplayName } from '../lib/field-parser.ts'
import { parseZoneName } from '../lib/time-zone.ts'
import { MAX_WINDOW_SECONDS, MAX_YEARS_AHEAD, type MaintenanceState } from '../shared/maintenances.ts'
import { DAY_MS, SECOND_MS } from '../shared/time.ts'
import { parseTags } from '../tags/tags.ts'
import { findFirstWindow, findShortestPeriod, type MaintenanceWindow, type Recurrence } from './recurrence.ts'
import type { CreateMaintenance, RecurrenceInput, UpdateMaintenance } from './schema.ts'

export interface MaintenanceSettings {
  title: string
  note: string | null
  recurrence: Recurrence | null
  allMonitors: boolean
  monitorIds: number[]
  tags: string[]
  /** The window in progress, or else the next one, or else the last one. */
  window: MaintenanceWindow
}

export interface CurrentMaintenance extends MaintenanceSettings {
  state: MaintenanceState
}

export interface SettingsContext {
  now: Date
  /** The time zone of a recurrence that names none. */
  defaultTimeZone: string
}

export const createMaintenanceSettings = (input: CreateMaintenance, context: SettingsContext): MaintenanceSettings =>
  changeMaintenanceSettings(undefined, input, context)

/** Fields that were not sent keep their current values. Throws one error that lists the problems of all fields. */
export function changeMaintenanceSettings(
  current: CurrentMaintenance | undefined,
  input: UpdateMaintenance,
  context: SettingsContext,
): MaintenanceSettings {
  const parser = new FieldParser()
  const title = parser.parse('title', input.title, parseDisplayName) ?? current?.title ?? ''
  const note = input.note === undefined ? (current?.note ?? null) : input.note?.trim() || null
  const allMonitors = input.all_monitors ?? current?.allMonitors ?? false
  const monitorIds = input.monitor_ids === undefined ? (current?.monitorIds ?? []) : [...new Set(input.monitor_ids)]
  const tags = parser.parse('tags', input.tags, parseTags) ?? current?.tags ?? []
  // A change of other fields doesn't require monitors, because the last monitor of the maintenance may have been
  // deleted.
  const choosesMonitors = input.all_monitors ?? input.monitor_ids ?? input.tags
  if (
    (current === undefined || choosesMonitors !== undefined) &&
    !allMonitors &&
    monitorIds.length + (input.tags ?? tags).length === 0
  ) {
    parser.addErrors('monitor_ids', ['must not be empty unless `tags` or `all_monitors` is set'])
  }
  const recurrence = changeRecurrence(parser, current, input.recurrence, context)
  const times = parseTimes(parser, input)
  const window =
    recurrence === null
      ? changeSingleWindow(parser, current, times, context.now)
      : recurrence && changeRecurringWindow(parser, current, { ...times, recurrence }, context.now)
  parser.throwIfInvalid()
  return {
    title,
    note,
    recurrence: recurrence as Recurrence | null,
    allMonitors,
    monitorIds,
    tags,
    window: window as MaintenanceWindow,
  }
}

interface SentTimes {
  startsAt: Date | undefined
  endsAt: Date | undefined
  durationSeconds: number | undefined
}

function parseTimes(parser: FieldParser, input: UpdateMaintenance): SentTimes {
  return {
    startsAt: parser.parse('starts_at', input.starts_at, parseTime),
    endsAt: parser.parse('ends_at', input.ends_at, parseTime),
    durationSeconds: input.duration_seconds,
  }
}

/** Rejects leap seconds, which the schema accepts but `Date` doesn't know. */
function parseTime(text: string): ParseResult<Date> {
  const time = new Date(text)
  return Number.isNaN(time.getTime())
    ? { errors: ['must be a time such as 2026-01-05T10:00:00.000Z'] }
    : { value: time }
}

/** Returns undefined if the recurrence is invalid. */
function changeRecurrence(
  parser: FieldParser,
  current: CurrentMaintenance | undefined,
  input: RecurrenceInput | null | undefined,
  { now, defaultTimeZone }: SettingsContext,
): Recurrence | null | undefined {
  if (input === undefined) return current?.recurrence ?? null
  if (input === null) return null
  const cron = parser.parse('recurrence.cron', input.cron, parseCron)
  const timeZone = parser.parse('recurrence.time_zone', input.time_zone ?? defaultTimeZone, parseZoneName)
  const until = parser.parse('recurrence.until', input.until ?? undefined, parseTime)
  if (cron === undefined || timeZone === undefined || (until === undefined && typeof input.until === 'string')) return
  const recurrence = { cron, timeZone, durationSeconds: input.duration_seconds, until: until ?? null }
  if (isDeepStrictEqual(recurrence, current?.recurrence)) return recurrence
  const shortestPeriod = findShortestPeriod(recurrence, now)
  if (recurrence.durationSeconds >= shortestPeriod) {
    const rule = `must be less than ${shortestPeriod}, the shortest time between two windows in seconds`
    parser.addErrors('recurrence.duration_seconds', [rule])
    return undefined
  }
  return recurrence
}

function changeSingleWindow(
  parser: FieldParser,
  current: CurrentMaintenance | undefined,
  sent: SentTimes,
  now: Date,
): MaintenanceWindow | undefined {
  const startsAt = sent.startsAt ?? current?.window.startsAt ?? now
  const plannedEnd = sent.durationSeconds && addMs(startsAt, sent.durationSeconds * SECOND_MS)
  const endsAt = sent.endsAt ?? (plannedEnd || current?.window.endsAt)
  if (sent.endsAt !== undefined && sent.durationSeconds !== undefined) {
    parser.addErrors('duration_seconds', ["can't be combined with `ends_at`"])
  }
  if (endsAt === undefined) {
    parser.addErrors('ends_at', ['is required, unless `duration_seconds` or `recurrence` is set'])
    return undefined
  }
  const window = { startsAt, endsAt }
  if (isDeepStrictEqual(window, current?.window)) return window
  const endField = sent.durationSeconds === undefined ? 'ends_at' : 'duration_seconds'
  if (current?.state === 'past') {
    parser.addErrors(sent.startsAt === undefined ? endField : 'starts_at', [
      "can't change, because the maintenance has ended: create another one",
    ])
    return undefined
  }
  if (current?.state === 'active' && startsAt.getTime() !== current.window.startsAt.getTime()) {
    parser.addErrors('starts_at', ["can't change while the maintenance is in progress"])
    return undefined
  }
  requireNearStart(parser, startsAt, now)
  if (endsAt <= startsAt) parser.addErrors(endField, ['must be after `starts_at`'])
  else if (endsAt <= now) {
    const rule =
      sent.durationSeconds === undefined ? 'must be in the future' : 'must be longer: the end would be in the past'
    parser.addErrors(endField, [rule])
  } else if (endsAt.getTime() - startsAt.getTime() > MAX_WINDOW_SECONDS * SECOND_MS) {
    parser.addErrors(endField, ['must be at most a year after `starts_at`'])
  }
  return window
}

/**
 * A change of the recurrence replaces the next window. A window in progress stays as it is. Clients may send back what they read, so
 * the current times are accepted.
 */
function changeRecurringWindow(
  parser: FieldParser,
  current: CurrentMaintenance | undefined,
  { recurrence, ...sent }: SentTimes & { recurrence: Recurrence },
  now: Date,
): MaintenanceWindow | undefined {
  const isSame = (sentTime: Date | undefined, currentTime: Date | undefined) =>
    sentTime === undefined || sentTime.getTime() === currentTime?.getTime()
  const hasSameStart = isSame(sent.startsAt, current?.window.startsAt)
  if (!isSame(sent.endsAt, current?.window.endsAt)) {
    parser.addErrors('ends_at', ["can't be combined with `recurrence`: use `recurrence.duration_seconds`"])
  }
  if (sent.durationSeconds !== undefined) {
    parser.addErrors('duration_seconds', ["can't be combined with `recurrence`: use `recurrence.duration_seconds`"])
  }
  if (current?.state === 'active') {
    if (!hasSameStart) parser.addErrors('starts_at', ["can't change while the maintenance is in progress"])
    return current.window
  }
  const isUnchanged = hasSameStart && isDeepStrictEqual(recurrence, current?.recurrence)
  if (current !== undefined && isUnchanged) return current.window
  // The new recurrence doesn't begin before a start that a user chose, but it can begin before a start that resulted
  // from the previous recurrence.
  const chosenStart = current?.recurrence && hasSameStart ? undefined : (sent.startsAt ?? current?.window.startsAt)
  const from = chosenStart === undefined || chosenStart < now ? now : chosenStart
  if (!requireNearStart(parser, from, now)) return undefined
  const window = findFirstWindow(recurrence, from)
  if (window === undefined) parser.addErrors('recurrence.until', ['must not be before the first window'])
  return window
}

function requireNearStart(parser: FieldParser, startsAt: Date, now: Date): boolean {
  if (startsAt.getTime() - now.getTime() <= MAX_YEARS_AHEAD * 366 * DAY_MS) return true
  parser.addErrors('starts_at', [`must be within the next ${MAX_YEARS_AHEAD} years`])
  return false
}
