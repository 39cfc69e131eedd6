/** What became of a monitor day by day, and altogether. */
import { uptimePercent } from '../incidents/incidents.ts'
import { addDays, localDay, localDayOf } from '../lib/local-day.ts'
import { DAY_MS } from '../shared/time.ts'
import type { MonitorGlance } from './schema.ts'
import { intersectSpans, lengthOf, type Spans, tidySpans } from './spans.ts'

export interface Days {
  from: string
  to: string
  /** When each of them began, and when the last one ends, in milliseconds since 1970. */
  bounds: number[]
}

/** The last so many by the clock of a zone, with today. */
export function lastDays(count: number, zone: string, now: number): Days {
  const today = localDayOf(zone, now)
  const from = addDays(today.day, 1 - count)
  const begins = Array.from({ length: count }, (_, n) => localDay(zone, addDays(from, n)).startsAt)
  return { from, to: today.day, bounds: [...begins, today.endsAt] }
}

type Bars = Pick<MonitorGlance, 'uptime_percent' | 'watched' | 'down'>

/** Until now: what is open goes on. Downtime counts where it was watched, so that bars and uptime tell the same. */
export function barsOf(watches: Spans, incidents: Spans, { bounds }: Days, now: number): Bars {
  const from = bounds[0] as number
  const watched = tidySpans(watches, from, now)
  const down = incidents.length === 0 ? [] : intersectSpans(watched, tidySpans(incidents, from, now))
  return {
    uptime_percent: uptimePercent({
      watchedSeconds: lengthOf(watched) / 1000,
      watchedDowntimeSeconds: lengthOf(down) / 1000,
    }),
    watched: runsOf(watched, bounds),
    down: secondsByDay(down, bounds),
  }
}

/** Which day a moment is in. Few days have more or less than 24 hours, so a division is nearly right. */
function dayOf(at: number, bounds: number[]): number {
  let day = Math.min(bounds.length - 2, Math.floor((at - (bounds[0] as number)) / DAY_MS))
  while (at < (bounds[day] as number)) day--
  while (at >= (bounds[day + 1] as number)) day++
  return day
}

function runsOf(spans: Spans, bounds: number[]): [number, number][] {
  const runs: [number, number][] = []
  for (let index = 0; index < spans.length; index += 2) {
    const first = dayOf(spans[index] as number, bounds)
    // What ends at midnight has nothing of the day that begins then.
    const last = dayOf((spans[index + 1] as number) - 1, bounds)
    const before = runs.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = last
    else runs.push([first, last])
  }
  return runs
}

function secondsByDay(spans: Spans, bounds: number[]): [number, number][] {
  const days: [number, number][] = []
  for (let index = 0; index < spans.length; index += 2) {
    const end = spans[index + 1] as number
    let begin = spans[index] as number
    for (let day = dayOf(begin, bounds); begin < end; day++) {
      const until = Math.min(end, bounds[day + 1] as number)
      const last = days.at(-1)
      if (last !== undefined && last[0] === day) last[1] += until - begin
      else days.push([day, until - begin])
      begin = until
    }
  }
  // A day with any downtime shows it, be it of milliseconds.
  return days.map(([day, ms]) => [day, Math.max(1, Math.round(ms / 1000))])
}
