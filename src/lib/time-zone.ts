/**
 * An IANA name in its usual spelling, or undefined. `Temporal` knows the names and mends upper and lower case; unlike
 * `Intl` it keeps the name itself, so that Asia/Kolkata does not come back as Asia/Calcutta.
 */
export function findTimeZone(name: string): string | undefined {
  // Offsets such as +01:00 are no names: they know no summer time.
  if (!/^[A-Za-z]/.test(name)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch {
    return undefined
  }
}
