/** What an incident meant for visitors, in the words of the pages. */
import type { Diagnosis, Impact, ImpactBasis, Visitors } from '../../src/shared/impact.ts'
import { compareWithExpected, describeMissedVisits, silenceAdvice } from '../../src/shared/impact-text.ts'
import { formatNumber } from './format.ts'

type MissedVisits = Pick<Impact, 'visits_missed' | 'visits_missed_low' | 'visits_missed_high'>

/** "About 140 visits missed (95 to 190)". Undefined if there is no estimate. */
export function formatMissedVisits(impact: MissedVisits | null): string | undefined {
  const text = describeMissedVisits(impact, formatNumber)
  return text && text.charAt(0).toUpperCase() + text.slice(1)
}

/** Says why there is no estimate. */
export const missingEstimateTexts: Partial<Record<ImpactBasis, string>> = {
  too_little_traffic: 'Too little traffic to estimate the visits missed',
  unusual_traffic: 'No estimate of the visits missed: traffic was too unusual, or it was a quiet day',
  too_little_history: 'Too little history to estimate the visits missed: Belfry needs two weeks of visits',
}

interface IncidentEffect {
  status: 'open' | 'resolved'
  impact: Impact | null
  visitors: Visitors | null
}

/** Whether visitors confirm the outage. Undefined if the traffic doesn't tell. */
export function formatVisitors({ status, impact, visitors }: IncidentEffect): string | undefined {
  const comparison = compareWithExpected(impact, formatNumber)
  if (impact === null || comparison === undefined) return undefined
  if (visitors === 'normal') {
    return `Visitors ${status === 'open' ? 'are still arriving' : 'kept arriving'} as usual (${comparison})`
  }
  if (visitors !== 'gone') return undefined
  return impact.visits_seen === 0
    ? `No visits recorded during the outage (${formatNumber(impact.visits_expected ?? 0)} expected)`
    : `Almost no visits recorded during the outage (${comparison})`
}

/** Why no visits arrive. The detail of the incident says how Belfry found out. */
export const diagnosisTitles: Record<Diagnosis, string> = {
  snippet_missing: 'Snippet missing',
  collector: 'Problem on the Belfry server',
  site_down: 'Website down',
  site_silent: 'Website responds',
}

export const diagnosisAdvice: Record<Diagnosis, string> = {
  ...silenceAdvice,
  collector: 'No alerts are sent, because the cause is probably not the website.',
}

/** Adds incidents that don't overlap. Their errors are independent, so the squares of the distances to the bounds add up. */
export function sumMissedVisits(impacts: readonly (MissedVisits | null)[]): MissedVisits | null {
  const measured = impacts
    .map((impact) => [impact?.visits_missed, impact?.visits_missed_low, impact?.visits_missed_high])
    .filter((counts): counts is [number, number, number] => counts.every((count) => typeof count === 'number'))
  if (measured.length === 0) return null
  const missed = measured.reduce((sum, [count]) => sum + count, 0)
  const below = Math.hypot(...measured.map(([count, low]) => count - low))
  const above = Math.hypot(...measured.map(([count, , high]) => high - count))
  return {
    visits_missed: missed,
    visits_missed_low: Math.max(0, Math.round(missed - below)),
    visits_missed_high: Math.round(missed + above),
  }
}
