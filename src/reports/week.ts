/** Weeks from Monday to Sunday in a website's time zone. A week is identified by its Monday, as YYYY-MM-DD. */
import type { TimeWindow } from '../incidents/window.ts'
import { addDays, findMonday, localDay, localDayAt } from '../lib/local-day.ts'

export function findSunday(week: string): string {
  return addDays(week, 6)
}

/** Returns the last complete week. */
export function findLastWeek(zone: string, now: Date): string {
  return addDays(findMonday(localDayAt(zone, now.getTime()).day), -7)
}

/** Ends one millisecond before the next Monday, because an incident that starts exactly at midnight belongs to the next week. */
export function toWeekWindow(zone: string, week: string): TimeWindow {
  return {
    from: new Date(localDay(zone, week).startsAt),
    to: new Date(localDay(zone, findSunday(week)).endsAt - 1),
  }
}
