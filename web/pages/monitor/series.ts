/** What the charts of a monitor draw, out of what the API answers. */
import type { CheckSeries } from '../../../src/results/schema.ts'
import { DAY_MS } from '../../../src/shared/time.ts'
import type { ShadedRange } from '../../charts/line-chart.tsx'
import { causeTexts } from '../../lib/causes.ts'
import type { Incident } from './queries.ts'

type Points = CheckSeries['data']

const seconds = (time: string) => Date.parse(time) / 1_000

/** Days are those of UTC. A chart of days is drawn by that clock, so that each stands where the axis has its name. */
export function utcSeconds(time: string): number {
  const at = new Date(time)
  const wall = new Date(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate(), at.getUTCHours(), at.getUTCMinutes())
  return wall.getTime() / 1_000
}

const clockOf = (isDaily: boolean) => (isDaily ? utcSeconds : seconds)

/** Of a day all hours are shown, of a longer window at least so many days. */
const POINTS_LEAST = 25

/** Before the first check there is nothing to see: the days of a young monitor get the room. */
export function sinceFirstCheck(points: Points): Points {
  const first = points.findIndex(({ total }) => total > 0)
  return points.slice(Math.max(0, Math.min(first, points.length - POINTS_LEAST)))
}

export function responseLines(points: Points, isDaily: boolean) {
  const place = clockOf(isDaily)
  return {
    x: points.map(({ starts_at }) => place(starts_at)),
    p50: points.map(({ p50_ms }) => p50_ms),
    p95: points.map(({ p95_ms }) => p95_ms),
    p99: points.map(({ p99_ms }) => p99_ms),
  }
}

/** An open one goes on until the end of the window. */
export function shadedOf(incidents: readonly Incident[], end: string, isDaily: boolean): ShadedRange[] {
  const place = clockOf(isDaily)
  return incidents.map(({ started_at, resolved_at, cause }) => ({
    from: place(started_at),
    to: place(resolved_at ?? end),
    label: `Down: ${causeTexts[cause].title.toLowerCase()}`,
  }))
}

/** Whole days that are left; negative once it has expired. */
export function daysUntil(at: string, now = Date.now()): number {
  return Math.floor((Date.parse(at) - now) / DAY_MS)
}
