/** Names of IANA time zones. */
import type { ParseResult } from './field-parser.ts'
import { invalid } from './problem.ts'

/**
 * Returns the canonical spelling of an IANA time zone name, or undefined if there is no such zone. `Temporal` corrects the
 * case and, unlike `Intl`, keeps current names: Asia/Kolkata does not become Asia/Calcutta.
 */
export function findTimeZone(name: string): string | undefined {
  // Temporal also accepts offsets such as +01:00, but an offset has no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch {
    return undefined
  }
}

/** Parses the field of a request that names a time zone. */
export function parseZoneName(name: string): ParseResult<string> {
  const zone = findTimeZone(name)
  return zone === undefined ? { errors: ['must be a time zone such as Europe/Berlin'] } : { value: zone }
}

/** Returns the canonical spelling of the query parameter `time_zone`. Throws a problem if there is no such zone. */
export function requireTimeZone(name: string): string {
  const zone = findTimeZone(name)
  if (zone === undefined) throw invalid({ time_zone: ['`time_zone` must be a time zone such as Europe/Berlin.'] })
  return zone
}
