/** Prepares API data for the charts of the monitor page. */
import type { CheckSeries } from '../../../src/results/schema.ts'
import { DAY_MS } from '../../../src/shared/time.ts'
import type { ChartBand } from '../../charts/line-chart.tsx'
import { causeTexts, toSentence } from '../../lib/causes.ts'
import type { Incident } from './queries.ts'

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

export function toResponseLines(points: Points, isDaily: boolean) {
  const toSeconds = chooseTimeConverter(isDaily)
  return {
    x: points.map(({ starts_at }) => toSeconds(starts_at)),
    p50: points.map(({ p50_ms }) => p50_ms),
    p95: points.map(({ p95_ms }) => p95_ms),
    p99: points.map(({ p99_ms }) => p99_ms),
  }
}

/** An ongoing incident extends to the end of the window. */
export function toIncidentBands(incidents: readonly Incident[], end: string, isDaily: boolean): ChartBand[] {
  const toSeconds = chooseTimeConverter(isDaily)
  return incidents.map(({ id, monitor_id, started_at, resolved_at, cause, detail }) => ({
    from: toSeconds(started_at),
    to: toSeconds(resolved_at ?? end),
    title: causeTexts[cause].title,
    detail: toSentence(detail),
    href: `/monitors/${monitor_id}?incident=${id}`,
  }))
}

/** Whole days left. Negative once the certificate has expired. */
export function countDaysUntil(at: string, now = Date.now()): number {
  return Math.floor((Date.parse(at) - now) / DAY_MS)
}
