/** Decides which values the small line of a list row shows, and whether they are enough for a line. */
import { RECENT_RESPONSE_STEP_MS } from '../../src/shared/monitors.ts'
import { MIN_SPARKLINE_POINTS } from '../../src/shared/sparkline-paths.ts'
import { HOUR_MS } from '../../src/shared/time.ts'

export interface ResponseTrend {
  /** In milliseconds. null where there was no response. */
  values: readonly (number | null)[]
  /** When the first value begins. */
  startsAt: number
  /** How much time each value covers. */
  stepMs: number
}

interface ResponseAverages {
  starts_at: string
  hours: readonly (number | null)[]
  recent_starts_at: string
  recent: readonly (number | null)[] | null
}

const hasEnough = (values: readonly (number | null)[]) =>
  values.filter((value) => value !== null).length >= MIN_SPARKLINE_POINTS

/**
 * A new monitor has responses in only one or two hours, but in many steps of 5 minutes. The time before the first
 * response is left out, because a line at the right edge of an empty column would hardly be visible.
 */
export function selectResponseTrend(averages: ResponseAverages): ResponseTrend | null {
  const { starts_at, hours, recent_starts_at, recent } = averages
  if (hasEnough(hours)) return skipLeadingGap({ values: hours, startsAt: Date.parse(starts_at), stepMs: HOUR_MS })
  if (recent === null || !hasEnough(recent)) return null
  return skipLeadingGap({ values: recent, startsAt: Date.parse(recent_starts_at), stepMs: RECENT_RESPONSE_STEP_MS })
}

function skipLeadingGap({ values, startsAt, stepMs }: ResponseTrend): ResponseTrend {
  const first = values.findIndex((value) => value !== null)
  return { values: values.slice(first), startsAt: startsAt + first * stepMs, stepMs }
}

/**
 * Days before the first visit say nothing, so a website needs a few days with data. A website without visits in the
 * whole period is not new, and a flat line shows that.
 */
export function hasVisitorTrend(visitors: readonly number[]): boolean {
  const first = visitors.findIndex((count) => count > 0)
  return first === -1 || visitors.length - first >= MIN_SPARKLINE_POINTS
}
