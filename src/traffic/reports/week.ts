/** Weeks by the clock of a website, from Monday to Sunday. A week is known by its Monday, YYYY-MM-DD. */
import type { Window } from '../../incidents/window.ts'
import { addDays, localDay, localDayOf } from '../../lib/local-day.ts'

/** Of the week that a day is in. */
export function mondayOf(day: string): string {
  return addDays(day, 1 - Temporal.PlainDate.from(day).dayOfWeek)
}

export function sundayOf(week: string): string {
  return addDays(week, 6)
}

/** The latest that is over. */
export function lastWeek(zone: string, now: Date): string {
  return addDays(mondayOf(localDayOf(zone, now.getTime()).day), -7)
}

/** To its last millisecond: what begins with the next week is none of this one's. */
export function windowOfWeek(zone: string, week: string): Window {
  return {
    from: new Date(localDay(zone, week).startsAt),
    to: new Date(localDay(zone, sundayOf(week)).endsAt - 1),
  }
}
