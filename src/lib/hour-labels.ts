/**
 * The hours of a day in a time zone, as texts. Asking Temporal for each of the 8,784 hours of a year took 45 to 74 ms
 * per request. So days are cached, and Temporal labels the hours only on days on which the clocks change.
 */
import { BoundedMap } from './bounded-map.ts'
import { countHours, formatHourStart, type LocalDay, localDay } from './local-day.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const HOURS_PER_DAY = 24

interface DayLabels {
  hours: number
  /** The UTC offset of a day with 24 equal hours, such as `+01:00`. Undefined if the clocks change on this day. */
  offset: string | undefined
  day: LocalDay
}

/** Enough for all days of a year in 50 time zones. An entry takes about 200 bytes. */
const MAX_CACHED_DAYS = 20_000
const labelsByDay = new BoundedMap<string, DayLabels>(MAX_CACHED_DAYS)

/** Returns one label per hour of the day, such as `2026-03-29T01:00:00+01:00`. A day has 23, 24 or 25 of them. */
export function listHourLabels(zone: string, date: string): string[] {
  const { hours, offset, day } = getDayLabels(zone, date)
  return Array.from({ length: hours }, (_, hour) =>
    offset === undefined ? formatHourStart(zone, day, hour) : `${date}T${hour < 10 ? '0' : ''}${hour}:00:00${offset}`,
  )
}

function getDayLabels(zone: string, date: string): DayLabels {
  const key = `${zone} ${date}`
  const cached = labelsByDay.get(key)
  if (cached !== undefined) return cached
  const labels = readDay(zone, date)
  labelsByDay.set(key, labels)
  return labels
}

function readDay(zone: string, date: string): DayLabels {
  const day = localDay(zone, date)
  return { hours: countHours(day), offset: findOffset(day), day }
}

/** Assumes that the clocks don't change twice on a day in opposite directions. */
function findOffset({ day, startsAt, endsAt }: LocalDay): string | undefined {
  if (endsAt - startsAt !== HOURS_PER_DAY * HOUR_MS) return undefined
  const offsetMs = Date.parse(`${day}T00:00:00Z`) - startsAt
  // Until 1972, the offset of one zone had seconds.
  if (offsetMs % MINUTE_MS !== 0) return undefined
  const minutes = Math.abs(offsetMs) / MINUTE_MS
  const pad = (number: number) => String(number).padStart(2, '0')
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`
}
