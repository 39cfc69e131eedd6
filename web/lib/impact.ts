/** Texts of the pages that say what an incident meant for visitors. */
import {
  type Diagnosis,
  type Impact,
  type ImpactBasis,
  sumVisitRanges,
  type Visitors,
} from '../../src/shared/impact.ts'
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

/**
 * Says whether visitors confirm the outage. Undefined if the traffic shows neither that they left nor that they kept
 * arriving.
 */
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

/** What Belfry has found out about the cause of missing visits. The detail of the incident says how it found out. */
export const diagnosisTitles: Record<Diagnosis, string> = {
  snippet_missing: 'Snippet missing',
  collector: 'Problem on the Belfry server',
  site_down: 'Website down',
  site_silent: 'Website responds',
}

export const diagnosisAdvice: Record<Diagnosis, string> = {
  ...silenceAdvice,
  collector: 'No alerts are sent, because the website is probably not the cause.',
}

/** Adds up the missed visits of incidents that don't overlap. */
export function sumMissedVisits(impacts: readonly (MissedVisits | null)[]): MissedVisits | null {
  const measured = impacts.flatMap((impact) => {
    if (impact === null) return []
    const { visits_missed: visits, visits_missed_low: low, visits_missed_high: high } = impact
    return visits === null || low === null || high === null ? [] : [{ visits, low, high }]
  })
  if (measured.length === 0) return null
  const { visits, low, high } = sumVisitRanges(measured)
  return { visits_missed: visits, visits_missed_low: low, visits_missed_high: high }
}
