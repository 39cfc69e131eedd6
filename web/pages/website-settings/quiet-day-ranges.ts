/** Quiet days as people enter and read them: ranges of days. The API has single dates. */
import { DAY_MS } from '../../../src/shared/time.ts'

export interface DayRange {
  from: string
  to: string
}

const addDay = (day: string) => new Date(Date.parse(`${day}T00:00Z`) + DAY_MS).toISOString().slice(0, 10)

/** Joins days that follow each other. `days` are sorted. */
export function toDayRanges(days: readonly string[]): DayRange[] {
  const ranges: DayRange[] = []
  for (const day of days) {
    const last = ranges.at(-1)
    if (last !== undefined && addDay(last.to) === day) last.to = day
    else ranges.push({ from: day, to: day })
  }
  return ranges
}

/** At most `limit` days, so that a mistyped year doesn't take forever. */
export function listRangeDays({ from, to }: DayRange, limit: number): string[] {
  const days: string[] = []
  for (let day = from; day <= to && days.length < limit; day = addDay(day)) days.push(day)
  return days
}

export function addDays(days: readonly string[], added: readonly string[]): string[] {
  return [...new Set([...days, ...added])].sort()
}

/** Keeps all `days`, and adds the newest suggested ones that fit. Belfry suggests only days that are not among `days`, in order. */
export function addSuggestedDays(days: readonly string[], suggested: readonly string[], maxDays: number): string[] {
  const surplus = days.length + suggested.length - maxDays
  return addDays(days, suggested.slice(Math.max(0, surplus)))
}

export function removeRange(days: readonly string[], { from, to }: DayRange): string[] {
  return days.filter((day) => day < from || day > to)
}
