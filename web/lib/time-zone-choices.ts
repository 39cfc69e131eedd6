/** The time zones that a user can choose, with their offsets, and the search among them. */
import { findEarlierZoneName, toCurrentZoneName } from '../../src/shared/time-zones.ts'

export interface TimeZoneChoice {
  /** The IANA name, such as America/Argentina/Buenos_Aires. */
  name: string
  /** “Buenos Aires”. */
  city: string
  /** “Argentina, America”. Empty for UTC. */
  region: string
  /** The current offset, such as UTC-03:00. */
  offset: string
}

/** Contains `chosenName` even if the browser doesn't know it. Sorted by city. */
export function listTimeZones(chosenName: string, now = new Date()): TimeZoneChoice[] {
  const names = [...Intl.supportedValuesOf('timeZone'), 'UTC', ...(chosenName === '' ? [] : [chosenName])]
  return [...new Set(names.map(toCurrentZoneName))]
    .map((name) => toTimeZoneChoice(name, now))
    .sort((one, other) => (one.city === other.city ? compare(one.name, other.name) : compare(one.city, other.city)))
}

const compare = (one: string, other: string) => (one < other ? -1 : 1)

export function toTimeZoneChoice(name: string, now = new Date()): TimeZoneChoice {
  const currentName = toCurrentZoneName(name)
  const parts = currentName.replaceAll('_', ' ').split('/')
  const city = parts.pop() ?? currentName
  return { name: currentName, city, region: parts.reverse().join(', '), offset: findOffset(currentName, now) }
}

/** Returns an empty text for a zone that the browser doesn't know. */
function findOffset(timeZone: string, now: Date): string {
  try {
    const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(now)
    const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
    return offset === 'GMT' ? 'UTC+00:00' : offset.replace('GMT', 'UTC')
  } catch {
    return ''
  }
}

/** The offset, unless the name of the zone already says it. */
export const getShownOffset = ({ city, offset }: TimeZoneChoice) => (city === 'UTC' ? '' : offset)

/** “Berlin — UTC+01:00”, or “UTC”. */
export function formatTimeZone(choice: TimeZoneChoice): string {
  const offset = getShownOffset(choice)
  return offset === '' ? choice.city : `${choice.city} — ${offset}`
}

/** Ignores case and accents. */
const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/**
 * Finds zones by city, region, earlier name (“Kiev”) and offset (“+1”, “UTC+5:30”, “GMT-3”). Cities that begin with the
 * text come first.
 */
export function searchTimeZones(zones: readonly TimeZoneChoice[], text: string): TimeZoneChoice[] {
  const terms = fold(text)
    .replaceAll(/[_/,—]/g, ' ')
    .split(/\s+/)
    .filter((term) => term !== '')
  if (terms.length === 0) return [...zones]
  const matches = zones.filter((zone) => terms.every((term) => matchesTerm(zone, term)))
  const startsWithTerm = ({ city }: TimeZoneChoice) => fold(city).startsWith(terms[0] as string)
  return [...matches.filter(startsWithTerm), ...matches.filter((zone) => !startsWithTerm(zone))]
}

function matchesTerm({ name, city, region, offset }: TimeZoneChoice, term: string): boolean {
  const hours = /^(?:utc|gmt)?([+-])0?(\d{1,2})(?::?(\d\d))?$/.exec(term.replace('−', '-'))
  if (hours !== null) {
    const [, sign, hour = '', minutes] = hours
    const start = `UTC${sign}${hour.padStart(2, '0')}:`
    return minutes === undefined ? offset.startsWith(start) : offset === `${start}${minutes}`
  }
  return fold(`${city} ${region} ${name} ${findEarlierZoneName(name) ?? ''} ${offset}`).includes(term)
}
