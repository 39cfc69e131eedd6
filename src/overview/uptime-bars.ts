/** Computes the uptime of a monitor for each day and in total. */
import { computeUptimePercent } from '../incidents/incidents.ts'
import { addDays, localDay, localDayAt } from '../lib/local-day.ts'
import { DAY_MS } from '../shared/time.ts'
import type { OverviewMonitorRecord } from './schema.ts'
import { computeTotalLength, intersectSpans, normalizeSpans, type Spans } from './spans.ts'

export interface LocalDays {
  from: string
  to: string
  /** Epoch milliseconds: the start of each day, and the end of the last one. */
  bounds: number[]
}

/** Returns the last `count` days in a time zone, including today. */
export function listLastDays(count: number, zone: string, now: number): LocalDays {
  const today = localDayAt(zone, now)
  const from = addDays(today.day, 1 - count)
  const starts = Array.from({ length: count }, (_, n) => localDay(zone, addDays(from, n)).startsAt)
  return { from, to: today.day, bounds: [...starts, today.endsAt] }
}

type UptimeBars = Pick<OverviewMonitorRecord, 'uptime_percent' | 'watched' | 'down'>

/**
 * A watch is a period in which Belfry checked the monitor without gaps. Watches and incidents that have not ended last until now.
 * Downtime outside of watches doesn't count, so that the bars match the uptime percentage.
 */
export function toUptimeBars(watches: Spans, incidents: Spans, { bounds }: LocalDays, now: number): UptimeBars {
  const from = bounds[0] as number
  const watched = normalizeSpans(watches, from, now)
  const down = incidents.length === 0 ? [] : intersectSpans(watched, normalizeSpans(incidents, from, now))
  return {
    uptime_percent: computeUptimePercent({
      watchedSeconds: computeTotalLength(watched) / 1000,
      watchedDowntimeSeconds: computeTotalLength(down) / 1000,
    }),
    watched: toDayRuns(watched, bounds),
    down: sumSecondsByDay(down, bounds),
  }
}

/**
 * Returns the index of the day that contains `at`. Nearly all days have 24 hours, so the division is off by one at
 * most.
 */
function findDayIndex(at: number, bounds: number[]): number {
  let day = Math.min(bounds.length - 2, Math.floor((at - (bounds[0] as number)) / DAY_MS))
  while (at < (bounds[day] as number)) day--
  while (at >= (bounds[day + 1] as number)) day++
  return day
}

/** Returns the indexes of the first and last day of each run of consecutive days that the spans touch. */
function toDayRuns(spans: Spans, bounds: number[]): [number, number][] {
  const runs: [number, number][] = []
  for (let index = 0; index < spans.length; index += 2) {
    const first = findDayIndex(spans[index] as number, bounds)
    // A span that ends at midnight doesn't touch the next day.
    const last = findDayIndex((spans[index + 1] as number) - 1, bounds)
    const previous = runs.at(-1)
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = last
    else runs.push([first, last])
  }
  return runs
}

/** Returns pairs of a day's index and the seconds of that day that the spans cover. */
function sumSecondsByDay(spans: Spans, bounds: number[]): [number, number][] {
  const msByDay: [number, number][] = []
  for (let index = 0; index < spans.length; index += 2) {
    const end = spans[index + 1] as number
    let start = spans[index] as number
    for (let day = findDayIndex(start, bounds); start < end; day++) {
      const until = Math.min(end, bounds[day + 1] as number)
      const last = msByDay.at(-1)
      if (last !== undefined && last[0] === day) last[1] += until - start
      else msByDay.push([day, until - start])
      start = until
    }
  }
  // A few milliseconds of downtime must still show, so round up to one second.
  return msByDay.map(([day, ms]) => [day, Math.max(1, Math.round(ms / 1000))])
}
