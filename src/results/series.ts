/** Summarizes check totals: for each minute, hour or day, and for the whole window. */

import { computePercentile, type Histogram, mergeHistograms, sumCounts } from './histogram.ts'
import { floorToStep } from './hours.ts'

/** Totals of the checks in a minute, hour or day, or in part of it. The histogram contains their response times. */
export interface CheckTotals extends Histogram {
  startsAt: Date
  total: number
  failed: number
  /** Sum of the response times. Excludes checks without a response. */
  sumMs: number
}

/** The times are null if no check got a response. */
export interface CheckSummary {
  total: number
  failed: number
  avg_ms: number | null
  p50_ms: number | null
  p95_ms: number | null
  p99_ms: number | null
}

export function summarize(totals: readonly CheckTotals[]): CheckSummary {
  const sum = (pick: (totals: CheckTotals) => number) => totals.reduce((result, summand) => result + pick(summand), 0)
  const histogram = mergeHistograms(totals)
  const responseCount = sumCounts(histogram)
  return {
    total: sum(({ total }) => total),
    failed: sum(({ failed }) => failed),
    avg_ms: responseCount === 0 ? null : Math.round(sum(({ sumMs }) => sumMs) / responseCount),
    p50_ms: computePercentile(histogram, 0.5),
    p95_ms: computePercentile(histogram, 0.95),
    p99_ms: computePercentile(histogram, 0.99),
  }
}

export interface SeriesPoint extends CheckSummary {
  starts_at: string
}

/** Returns points, oldest first. Includes minutes, hours and days without checks, so that charts show these gaps. */
export function buildSeries(
  totals: readonly CheckTotals[],
  { from, to }: { from: Date; to: Date },
  stepMs: number,
): SeriesPoint[] {
  const totalsByStart = Map.groupBy(totals, ({ startsAt }) => floorToStep(stepMs, startsAt).getTime())
  const points: SeriesPoint[] = []
  for (let start = floorToStep(stepMs, from).getTime(); start <= to.getTime(); start += stepMs) {
    points.push({ starts_at: new Date(start).toISOString(), ...summarize(totalsByStart.get(start) ?? []) })
  }
  return points
}
