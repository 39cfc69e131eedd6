/** Quiet days as people enter and read them: ranges of days. The API has single dates. */
import { addDays, countDays, type DayRange, isCalendarDay } from '../website/calendar.ts'

/** Joins consecutive days to ranges. `days` must be sorted. */
export function toDayRanges(days: readonly string[]): DayRange[] {
  const ranges: DayRange[] = []
  for (const day of days) {
    const last = ranges.at(-1)
    if (last !== undefined && addDays(last.to, 1) === day) last.to = day
    else ranges.push({ from: day, to: day })
  }
  return ranges
}

/**
 * Returns at most `limit` days, so that a mistyped year doesn't take forever. Returns no days if `from` or `to` is not
 * a calendar day.
 */
export function listRangeDays(range: DayRange, limit: number): string[] {
  if (![range.from, range.to].every(isCalendarDay)) return []
  const length = Math.max(0, Math.min(limit, countDays(range)))
  return Array.from({ length }, (_, n) => addDays(range.from, n))
}

export function mergeDays(days: readonly string[], addedDays: readonly string[]): string[] {
  return [...new Set([...days, ...addedDays])].sort()
}

/** Keeps all `days`, and adds the newest suggested days that fit. `suggestedDays` is sorted and contains none of `days`. */
export function addSuggestedDays(days: readonly string[], suggestedDays: readonly string[], maxDays: number): string[] {
  const surplus = days.length + suggestedDays.length - maxDays
  return mergeDays(days, suggestedDays.slice(Math.max(0, surplus)))
}

export function removeRange(days: readonly string[], { from, to }: DayRange): string[] {
  return days.filter((day) => day < from || day > to)
}
