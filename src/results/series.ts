/** What checks come to: by the hour or day, and altogether. */

import { countOf, type Histogram, mergeHistograms, percentile } from './histogram.ts'
import { floorTo } from './hours.ts'

/** Some checks of one hour or day. */
export interface Part extends Histogram {
  startsAt: Date
  total: number
  failed: number
  /** Of those that have a response time. */
  sumMs: number
}

/** Times are null where nothing answered. */
export interface Figures {
  total: number
  failed: number
  avg_ms: number | null
  p50_ms: number | null
  p95_ms: number | null
  p99_ms: number | null
}

export function figuresOf(parts: readonly Part[]): Figures {
  const sum = (pick: (part: Part) => number) => parts.reduce((total, part) => total + pick(part), 0)
  const histogram = mergeHistograms(parts)
  const count = countOf(histogram)
  return {
    total: sum(({ total }) => total),
    failed: sum(({ failed }) => failed),
    avg_ms: count === 0 ? null : Math.round(sum(({ sumMs }) => sumMs) / count),
    p50_ms: percentile(histogram, 0.5),
    p95_ms: percentile(histogram, 0.95),
    p99_ms: percentile(histogram, 0.99),
  }
}

export interface Point extends Figures {
  starts_at: string
}

/** Oldest first, and without gaps: whoever draws it sees when nothing was checked. */
export function seriesOf(parts: readonly Part[], { from, to }: { from: Date; to: Date }, stepMs: number): Point[] {
  const groups = Map.groupBy(parts, ({ startsAt }) => floorTo(stepMs, startsAt).getTime())
  const points: Point[] = []
  for (let at = floorTo(stepMs, from).getTime(); at <= to.getTime(); at += stepMs) {
    points.push({ starts_at: new Date(at).toISOString(), ...figuresOf(groups.get(at) ?? []) })
  }
  return points
}
