/** What an outage cost, as the API returns it with incidents. */

/** profile: estimated from the visits of the same hours of earlier weeks. The other values say why there is no estimate. */
export const impactBases = ['profile', 'too_little_traffic', 'too_little_history', 'unusual_traffic'] as const
export type ImpactBasis = (typeof impactBases)[number]

/** The visits that began during an incident. All figures are null if `basis` says that there is no estimate. */
export interface Impact {
  visits_expected: number | null
  visits_low: number | null
  visits_high: number | null
  visits_seen: number | null
  visits_missed: number | null
  visits_missed_low: number | null
  visits_missed_high: number | null
  /** The probability that the true number is from `visits_low` to `visits_high`. */
  confidence: number
  basis: ImpactBasis
}

/** Whether visitors confirm an incident: they are gone, or they arrive as usual. unknown: their number proves neither. */
export const visitorsStates = ['gone', 'normal', 'unknown'] as const
export type Visitors = (typeof visitorsStates)[number]

/** What Belfry can find out about the cause of a silence, which is a time without visits. */
export const diagnoses = ['snippet_missing', 'collector', 'site_down', 'site_silent'] as const
export type Diagnosis = (typeof diagnoses)[number]

/** An estimated number of visits with its lower and upper bound. */
export interface VisitRange {
  visits: number
  low: number
  high: number
}

/**
 * Adds up the visits of several outages. Their errors are mostly independent, so the distances between an estimate and
 * its bounds add up as the root of the sum of their squares. That makes the range of the sum narrower than the sum of
 * the ranges.
 */
export function sumVisitRanges(ranges: readonly VisitRange[]): VisitRange {
  const visits = ranges.reduce((sum, range) => sum + range.visits, 0)
  const below = Math.hypot(...ranges.map((range) => range.visits - range.low))
  const above = Math.hypot(...ranges.map((range) => range.high - range.visits))
  return { visits, low: Math.max(0, Math.round(visits - below)), high: Math.round(visits + above) }
}
