/** What the message of an alert says about visitors: whether they confirm the outage, and what it cost. */

import type { AlertedIncident, MessageFact } from '../channels/common/channel.ts'
import { formatCount } from '../lib/format.ts'
import { compareWithExpected, describeMissedVisits, silenceAdvice } from '../shared/impact-text.ts'

const visitorsWords = { normal: 'visitors are still arriving as usual', gone: 'visitors are gone' } as const

/** "visitors are gone (0 of 12 expected)". undefined if the number of visits proves nothing. */
export function describeVisitors({ visitors, impact }: AlertedIncident): string | undefined {
  if (visitors === null || visitors === 'unknown') return undefined
  const comparison = compareWithExpected(impact, formatCount)
  return comparison === undefined ? visitorsWords[visitors] : `${visitorsWords[visitors]} (${comparison})`
}

/** "about 140 visits missed (95 to 190)". undefined if nothing can be said. */
export const describeImpact = ({ impact }: AlertedIncident) => describeMissedVisits(impact, formatCount)

export function listVisitorFacts(incident: AlertedIncident): MessageFact[] {
  const value = describeVisitors(incident)
  return value === undefined ? [] : [{ label: 'Traffic', value }]
}

export function listImpactFacts(incident: AlertedIncident): MessageFact[] {
  const value = describeImpact(incident)
  return value === undefined ? [] : [{ label: 'Impact', value }]
}

/** Lists the facts about a website without visits. */
export function listSilenceFacts({ diagnosis, impact }: AlertedIncident): MessageFact[] {
  const comparison = compareWithExpected(impact, formatCount)
  const advice = diagnosis === null || diagnosis === 'collector' ? undefined : silenceAdvice[diagnosis]
  return [
    ...(comparison === undefined ? [] : [{ label: 'Visits', value: comparison }]),
    ...(advice ? [{ label: 'What to do', value: advice, isLong: true, isOptional: true }] : []),
  ]
}
