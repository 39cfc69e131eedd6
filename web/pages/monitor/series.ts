/** Prepares API data for the charts of the monitor page. */
import type { CheckSeries } from '../../../src/results/schema.ts'
import { DAY_MS, DAY_SECONDS, HOUR_MS } from '../../../src/shared/time.ts'
import type { ChartBand } from '../../charts/line-chart.tsx'
import { causeTexts, toSentence } from '../../lib/causes.ts'
import { formatClockTime, formatDateTime, formatDay } from '../../lib/format.ts'
import { formatMissedVisits } from '../../lib/impact.ts'
import type { ChartWindow, Incident } from './queries.ts'

type Points = CheckSeries['data']

const toUnixSeconds = (time: string) => Date.parse(time) / 1_000

/**
 * The chart labels its axis in local time, but daily points are UTC days. Shifts a point by the time zone offset, so that
 * it appears above its UTC date.
 */
export function toUtcClockSeconds(time: string): number {
  const at = new Date(time)
  const localDate = new Date(
    at.getUTCFullYear(),
    at.getUTCMonth(),
    at.getUTCDate(),
    at.getUTCHours(),
    at.getUTCMinutes(),
  )
  return localDate.getTime() / 1_000
}

const chooseTimeConverter = (isDaily: boolean) => (isDaily ? toUtcClockSeconds : toUnixSeconds)

/**
 * Trimming keeps at least this many points. So it never trims the 24-hour window, which has 25 hours because the first and
 * the last are partial. Longer windows have a point per day, and 25 days are enough for a readable line.
 */
const MIN_POINTS = 25

/** Drops points before the first check, so that the data of a new monitor fills the chart. */
export function trimToFirstCheck(points: Points): Points {
  const first = points.findIndex(({ total }) => total > 0)
  return points.slice(Math.max(0, Math.min(first, points.length - MIN_POINTS)))
}

/** A point stands for the checks of an hour or a day, so it is drawn in the middle of that hour or day. */
export function toResponseLines(points: Points, stepSeconds: number) {
  const isDaily = stepSeconds >= DAY_SECONDS
  const starts = points.map(({ starts_at }) => chooseTimeConverter(isDaily)(starts_at))
  return {
    x: starts.map((start) => start + stepSeconds / 2),
    xRange: [starts[0] ?? 0, (starts.at(-1) ?? 0) + stepSeconds] as const,
    xTitles: points.map(({ starts_at }) =>
      isDaily ? `${formatDay(starts_at.slice(0, 10))}, UTC` : formatHour(starts_at),
    ),
    p50: points.map(({ p50_ms }) => p50_ms),
    p95: points.map(({ p95_ms }) => p95_ms),
    p99: points.map(({ p99_ms }) => p99_ms),
  }
}

/** "5 Jan 2026, 10:00 – 11:00". */
function formatHour(startsAt: string): string {
  return `${formatDateTime(startsAt)} – ${formatClockTime(new Date(Date.parse(startsAt) + HOUR_MS))}`
}

/** An ongoing incident extends to the end of the window. */
export function toIncidentBands(
  incidents: readonly Incident[],
  { window, to, bucket_seconds }: { window: ChartWindow; to: string; bucket_seconds: number },
): ChartBand[] {
  const toSeconds = chooseTimeConverter(bucket_seconds >= DAY_SECONDS)
  return incidents.map(({ id, monitor_id, started_at, resolved_at, cause, detail, impact }) => ({
    from: toSeconds(started_at),
    to: toSeconds(resolved_at ?? to),
    title: causeTexts[cause].title,
    detail: [detail, formatMissedVisits(impact)]
      .filter((text) => text !== undefined)
      .map(toSentence)
      .join(' '),
    href: `/monitors/${monitor_id}?window=${window}&incident=${id}`,
  }))
}

/** The number of whole days left. Negative if the time is in the past. */
export function countDaysUntil(at: string, now = Date.now()): number {
  return Math.floor((Date.parse(at) - now) / DAY_MS)
}
