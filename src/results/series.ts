/** What checks come to: by the hour or day, and altogether. */

import { type Histogram, mergeHistograms, percentile, totalCount } from './histogram.ts'
import { floorToStep } from './hours.ts'

/** Some checks of one hour or day. */
export interface CheckTotals extends Histogram {
  startsAt: Date
  total: number
  failed: number
  /** Of those that have a response time. */
  sumMs: number
}

/** Times are null where nothing answered. */
export interface ResponseFigures {
  total: number
  failed: number
  avg_ms: number | null
  p50_ms: number | null
  p95_ms: number | null
  p99_ms: number | null
}

export function summarize(parts: readonly CheckTotals[]): ResponseFigures {
  const sum = (pick: (part: CheckTotals) => number) => parts.reduce((total, part) => total + pick(part), 0)
  const histogram = mergeHistograms(parts)
  const count = totalCount(histogram)
  return {
    total: sum(({ total }) => total),
    failed: sum(({ failed }) => failed),
    avg_ms: count === 0 ? null : Math.round(sum(({ sumMs }) => sumMs) / count),
    p50_ms: percentile(histogram, 0.5),
    p95_ms: percentile(histogram, 0.95),
    p99_ms: percentile(histogram, 0.99),
  }
}

export interface SeriesPoint extends ResponseFigures {
  starts_at: string
}

/** Oldest first, and without gaps: whoever draws it sees when nothing was checked. */
export function buildSeries(
  parts: readonly CheckTotals[],
  { from, to }: { from: Date; to: Date },
  stepMs: number,
): SeriesPoint[] {
  const groups = Map.groupBy(parts, ({ startsAt }) => floorToStep(stepMs, startsAt).getTime())
  const points: SeriesPoint[] = []
  for (let at = floorToStep(stepMs, from).getTime(); at <= to.getTime(); at += stepMs) {
    points.push({ starts_at: new Date(at).toISOString(), ...summarize(groups.get(at) ?? []) })
  }
  return points
}
