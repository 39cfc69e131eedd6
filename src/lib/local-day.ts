/** Days by the clocks of a time zone, which have 23, 24 or 25 hours, and half ones in places. */

const HOUR_MS = 3_600_000

export interface LocalDay {
  /** YYYY-MM-DD */
  day: string
  /** Its first moment and the first of the next day, in milliseconds since 1970. */
  startsAt: number
  endsAt: number
}

/** The last day asked for, by zone: nearly every question is about today. */
const latest = new Map<string, LocalDay>()

export function localDayOf(zone: string, at: number): LocalDay {
  const known = latest.get(zone)
  if (known !== undefined && at >= known.startsAt && at < known.endsAt) return known
  const found = dayIn(zone, Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(zone).toPlainDate())
  latest.set(zone, found)
  return found
}

/** By its name, YYYY-MM-DD. */
export function localDay(zone: string, day: string): LocalDay {
  return dayIn(zone, Temporal.PlainDate.from(day))
}

function dayIn(zone: string, date: Temporal.PlainDate): LocalDay {
  return {
    day: date.toString(),
    startsAt: date.toZonedDateTime(zone).epochMilliseconds,
    endsAt: date.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds,
  }
}

/** How many hours it has; the last may be a part of one. */
export function hoursIn({ startsAt, endsAt }: LocalDay): number {
  return Math.ceil((endsAt - startsAt) / HOUR_MS)
}

/** When an hour of a day began, with the offset of that moment: a day that has 2 o'clock twice has two of them. */
export function labelHour(zone: string, { startsAt }: LocalDay, hour: number): string {
  return Temporal.Instant.fromEpochMilliseconds(startsAt + hour * HOUR_MS)
    .toZonedDateTimeISO(zone)
    .toString({ timeZoneName: 'never', smallestUnit: 'second' })
}

export function addDays(day: string, days: number): string {
  return Temporal.PlainDate.from(day).add({ days }).toString()
}

/** How many days from one to the other, both counted. */
export function countDays(from: string, to: string): number {
  return Temporal.PlainDate.from(from).until(to).days + 1
}

export function listDays(from: string, to: string): string[] {
  return Array.from({ length: Math.max(0, countDays(from, to)) }, (_, n) => addDays(from, n))
}

/** YYYY-MM-DD, of a day that there is. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text
  } catch {
    return false
  }
}
