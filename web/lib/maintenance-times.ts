/** Times of maintenances in words. */
import { DAY_MS } from '../../src/shared/time.ts'
import { formatClockTime, formatDateTime } from './format.ts'

const isSameDay = (a: Date, b: Date) => a.toDateString() === b.toDateString()

/** "14:30", or the date and time if that is not today. */
export function formatUntil(at: string, now = new Date()): string {
  return isSameDay(new Date(at), now) ? formatClockTime(at) : formatDateTime(at)
}

/** "Today", "Tomorrow", "Yesterday", or undefined for other days. */
export function describeNearDay(at: string, now = new Date()): string | undefined {
  const day = new Date(at)
  if (isSameDay(day, now)) return 'Today'
  // The times 24 hours before and after noon are always on the neighbouring days, even if a day has 23 or 25 hours.
  const noon = new Date(now).setHours(12, 0, 0, 0)
  if (isSameDay(day, new Date(noon + DAY_MS))) return 'Tomorrow'
  return isSameDay(day, new Date(noon - DAY_MS)) ? 'Yesterday' : undefined
}
