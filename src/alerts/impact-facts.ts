/** What the message of an alert says about visitors: whether they confirm the outage, what it cost, and why none arrive. */
import { formatCount } from '../lib/format.ts'
import type { AlertedIncident, MessageFact } from '../providers/provider.ts'
import { compareWithExpected, describeMissedVisits } from '../shared/impact-text.ts'

const visitorsWords = { normal: 'still arriving as usual', gone: 'gone' } as const

/** "gone (0 of 12 expected)". undefined if the number of visits proves nothing. */
export function describeVisitors({ visitors, impact }: AlertedIncident): string | undefined {
  if (visitors === null || visitors === 'unknown') return undefined
  const comparison = compareWithExpected(impact, formatCount)
  return comparison === undefined ? visitorsWords[visitors] : `${visitorsWords[visitors]} (${comparison})`
}

/** "about 140 visits missed (95 to 190)". undefined if nothing can be said. */
export const describeImpact = ({ impact }: AlertedIncident) => describeMissedVisits(impact, formatCount)

export function listVisitorFacts(incident: AlertedIncident): MessageFact[] {
  const value = describeVisitors(incident)
  return value === undefined ? [] : [{ label: 'Visitors', value }]
}

export function listImpactFacts(incident: AlertedIncident): MessageFact[] {
  const value = describeImpact(incident)
  return value === undefined ? [] : [{ label: 'Impact', value }]
}

const diagnosisSentences = {
  snippet_missing: 'The page responds, but the tracking snippet is missing from it.',
  site_down: "The website doesn't respond.",
  site_silent: 'The page responds and has the tracking snippet, but nobody visits it.',
  // Told to nobody. It can still be stored when a reminder is sent.
  collector: 'Belfry received no visits to other websites either.',
} as const satisfies Record<NonNullable<AlertedIncident['diagnosis']>, string>

export function listDiagnosisFacts({ diagnosis }: AlertedIncident): MessageFact[] {
  return diagnosis === null ? [] : [{ label: 'Diagnosis', value: diagnosisSentences[diagnosis], isLong: true }]
}
