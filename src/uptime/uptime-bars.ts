/** Computes the uptime of a monitor for each day and in total. */
import { addDays, localDay, localDayAt } from '../lib/local-day.ts'
import { DAY_MS, DAY_SECONDS, SECOND_MS } from '../shared/time.ts'
import { computeDayUptime } from '../shared/uptime-days.ts'
import { computeTotalLength, intersectSpans, type Spans } from './spans.ts'
import { clipHistory, computeUptime, type MonitorHistory, type Uptime } from './uptime.ts'

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

export interface UptimeBars extends Uptime {
  /** The `days` of an overview's monitor: see the schema. */
  days: string
}

/** The uptime covers the same period as the bars: it ends now, and begins with the first day. */
export function toUptimeBars(history: MonitorHistory, { bounds }: LocalDays, now: number): UptimeBars {
  const period = { from: bounds[0] as number, to: now }
  const clippedHistory = clipHistory(history, period)
  const { monitored, down } = clippedHistory
  const runs = toDayRuns(monitored, bounds).map(([first, last]) => `${first}-${last}`)
  const downDays = down.length === 0 ? '' : `;${formatDownDays(sumByDay(down, bounds), monitored, bounds)}`
  return { ...computeUptime(history, period, clippedHistory), days: `${runs.join(',')}${downDays}` }
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

interface DownDay {
  day: number
  ms: number
  /** How many of the spans touch the day. */
  spanCount: number
}

/** Splits the spans at midnight, and adds up the parts of each day. */
function sumByDay(spans: Spans, bounds: number[]): DownDay[] {
  const downDays: DownDay[] = []
  for (let index = 0; index < spans.length; index += 2) {
    const end = spans[index + 1] as number
    let start = spans[index] as number
    for (let day = findDayIndex(start, bounds); start < end; day++) {
      const until = Math.min(end, bounds[day + 1] as number)
      const last = downDays.at(-1)
      if (last !== undefined && last.day === day) {
        last.ms += until - start
        last.spanCount += 1
      } else downDays.push({ day, ms: until - start, spanCount: 1 })
      start = until
    }
  }
  return downDays
}

export interface UptimeDay {
  /** YYYY-MM-DD */
  date: string
  uptime_percent: number | null
  monitored_seconds: number
  downtime_seconds: number
  incidents: number
}

/** Lists all days with the same figures that `days` of the bars contains. */
export function listUptimeDays(history: MonitorHistory, { from, bounds }: LocalDays, now: number): UptimeDay[] {
  const { monitored, down } = clipHistory(history, { from: bounds[0] as number, to: now })
  const days = bounds.slice(1).map(
    (_, index): UptimeDay => ({
      date: addDays(from, index),
      uptime_percent: null,
      monitored_seconds: 0,
      downtime_seconds: 0,
      incidents: 0,
    }),
  )
  for (const { day, ms } of sumByDay(monitored, bounds)) {
    Object.assign(days[day] as UptimeDay, { uptime_percent: 100, monitored_seconds: Math.round(ms / SECOND_MS) })
  }
  for (const { day, ms, spanCount } of sumByDay(down, bounds)) {
    const record = days[day] as UptimeDay
    record.downtime_seconds = roundDowntime(ms)
    record.incidents = spanCount
    record.uptime_percent = computeDayUptime({
      seconds: record.downtime_seconds,
      monitoredSeconds: record.monitored_seconds,
    })
  }
  return days
}

/** A few milliseconds of downtime must still show, so they are rounded up to one second. */
const roundDowntime = (ms: number) => Math.max(1, Math.round(ms / SECOND_MS))

function formatDownDays(downDays: readonly DownDay[], monitored: Spans, bounds: number[]): string {
  return downDays
    .map(({ day, ms, spanCount }) => {
      const dayBounds = [bounds[day] as number, bounds[day + 1] as number]
      const monitoredSeconds = Math.round(computeTotalLength(intersectSpans(monitored, dayBounds)) / SECOND_MS)
      const text = `${day}:${roundDowntime(ms)}:${spanCount}`
      return monitoredSeconds === DAY_SECONDS ? text : `${text}:${monitoredSeconds}`
    })
    .join(',')
}
