/** Calendar days in a time zone. When clocks change, a day is an hour longer or shorter than 24 hours; in a few zones, half an hour. */

const HOUR_MS = 3_600_000
export const MS_PER_DAY = 24 * HOUR_MS

export interface LocalDay {
  /** YYYY-MM-DD */
  day: string
  /** Epoch milliseconds. */
  startsAt: number
  /** Epoch milliseconds, exclusive. */
  endsAt: number
}

/** Caches the last result for each zone, because nearly every call is about today. */
const cachedDays = new Map<string, LocalDay>()

/** Returns the day that contains the time `at`, in epoch milliseconds. */
export function localDayAt(zone: string, at: number): LocalDay {
  const cachedDay = cachedDays.get(zone)
  if (cachedDay !== undefined && at >= cachedDay.startsAt && at < cachedDay.endsAt) return cachedDay
  const day = toLocalDay(zone, Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate())
  cachedDays.set(zone, day)
  return day
}

/** Returns when a day, as YYYY-MM-DD, starts and ends in the zone. */
export function localDay(zone: string, day: string): LocalDay {
  return toLocalDay(zone, Temporal.PlainDate.from(day))
}

function toLocalDay(zone: string, date: Temporal.PlainDate): LocalDay {
  return {
    day: date.toString(),
    startsAt: date.toZonedDateTime(zone).epochMilliseconds,
    endsAt: date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds,
  }
}

/** Counts an incomplete last hour as a full one. */
export function countHours({ startsAt, endsAt }: LocalDay): number {
  return Math.ceil((endsAt - startsAt) / HOUR_MS)
}

/** Includes the UTC offset at that time, because a day can have 2:00 twice. */
export function formatHourStart(zone: string, { startsAt }: LocalDay, hour: number): string {
  return Temporal.Instant.fromEpochMilliseconds(startsAt + hour * HOUR_MS)
    .toZonedDateTimeISO(zone)
    .toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

/** Returns the date in UTC as YYYY-MM-DD. In every time zone, the local date differs from it by one day at most. */
export const toUtcDay = (time: Date) => time.toISOString().slice(0, 10)

export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}

/** The Monday of the week that contains `day`. */
export function findMonday(day: string): string {
  return addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek)
}

/** Counts the days from `from` to `to`, both inclusive. */
export function countDays(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to).days + 1
}

/** Doesn't call `addDays` for each day, because that takes 4 µs a day, and a range can have ten years. */
export function listDays(from: string, to: string): string[] {
  const firstDayMs = Date.parse(`${from}T00:00:00Z`)
  return Array.from({ length: Math.max(0, countDays(from, to)) }, (_, n) =>
    new Date(firstDayMs + n * MS_PER_DAY).toISOString().slice(0, 10),
  )
}

/** Whether the text is YYYY-MM-DD and that day exists. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text
  } catch {
    return false
  }
}

/** RFC 3339 with a date, a time and an offset. */
const TIME_PATTERN = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/

/**
 * Parses a bound of a period: a time, or a calendar day in the time zone. A period that ends with a day includes it. Returns undefined
 * for other texts.
 */
export function parseTimeOrDay(text: string, timeZone: string, isEnd: boolean): Date | undefined {
  if (isDay(text)) {
    const { startsAt, endsAt } = localDay(timeZone, text)
    return new Date(isEnd ? endsAt : startsAt)
  }
  const time = TIME_PATTERN.test(text) ? new Date(text) : undefined
  return time === undefined || Number.isNaN(time.getTime()) ? undefined : time
}
