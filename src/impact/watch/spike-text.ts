/** The texts of an alert about a traffic spike. */

import { markers } from '../../channels/common/markers.ts'
import { formatCount } from '../../lib/format.ts'
import { toVisibleLine } from '../../lib/text.ts'
import { describeExpectedVisits, describeTopSource, type SpikeDetails } from '../../shared/spike.ts'
import { MINUTE_MS } from '../../shared/time.ts'

const MAX_SOURCE_LENGTH = 100
/**
 * A period that differs from an hour by at most this is called "the last hour". Spikes are measured in slots of five
 * minutes, and the alert follows a little later, so the period is rarely exactly an hour.
 */
const HOUR_TOLERANCE_MINUTES = 10

interface SpikeAlert {
  friendlyName: string
  url: string
  details: SpikeDetails
  now: Date
}

/** The texts that are stored with the alert. `title` is shown in the list of sent notifications. */
export function formatSpikeAlert({ friendlyName, url, details, now }: SpikeAlert): { title: string; body: string } {
  return { title: `${markers.spike.word}: ${friendlyName}`, body: `${url}\n${describeSpike(details, now)}` }
}

/** "312 visits in the last hour, 40 expected. Most came from news.ycombinator.com (250)." */
export function describeSpike(details: SpikeDetails, now: Date): string {
  const { visits, since, source } = details
  const period = describePeriod(now.getTime() - Date.parse(since))
  const visibleSource = source === null ? null : toVisibleLine(source, MAX_SOURCE_LENGTH)
  const sourceText = describeTopSource({ ...details, source: visibleSource }, formatCount)
  const text = `${formatCount(visits)} visits in ${period}, ${describeExpectedVisits(details, formatCount)} expected.`
  return sourceText === undefined ? text : `${text} ${sourceText}`
}

function describePeriod(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS))
  if (Math.abs(minutes - 60) <= HOUR_TOLERANCE_MINUTES) return 'the last hour'
  if (minutes < 120) return minutes === 1 ? 'the last minute' : `the last ${minutes} minutes`
  return `the last ${Math.round(minutes / 60)} hours`
}
