/**
 * What an outage cost, in words. The server and the pages format numbers differently, so each of them passes its own
 * function for that.
 */
import type { Diagnosis, Impact } from './impact.ts'

type FormatCount = (count: number) => string
type MissedVisits = Pick<Impact, 'visits_missed' | 'visits_missed_low' | 'visits_missed_high'>

/** "about 140 visits missed (95 to 190)". undefined if there is no estimate. */
export function describeMissedVisits(impact: MissedVisits | null, formatCount: FormatCount): string | undefined {
  if (impact === null) return undefined
  const { visits_missed: missed, visits_missed_low: low, visits_missed_high: high } = impact
  if (missed === null || low === null || high === null) return undefined
  if (high === 0) return 'no visits missed'
  if (missed === 0) return `no visits missed (at most ${formatCount(high)})`
  const noun = missed === 1 ? 'visit' : 'visits'
  return `about ${formatCount(missed)} ${noun} missed (${formatCount(low)} to ${formatCount(high)})`
}

/** "11 of 12 expected". undefined if there is no estimate. */
export function compareWithExpected(
  impact: Pick<Impact, 'visits_seen' | 'visits_expected'> | null,
  formatCount: FormatCount,
): string | undefined {
  if (impact === null || impact.visits_seen === null || impact.visits_expected === null) return undefined
  return `${formatCount(impact.visits_seen)} of ${formatCount(impact.visits_expected)} expected`
}

/** What the owner of a website can do if no visits arrive. The keys say why they don't arrive. */
export const silenceAdvice: Record<Exclude<Diagnosis, 'collector'>, string> = {
  snippet_missing: 'Add the tracking snippet to the pages again.',
  site_down: 'Check the server and the domain of the website.',
  site_silent: 'Open the website in a browser, and check that it works and loads the tracking script.',
}
