/** Parses the Retry-After header (RFC 9110). */

/**
 * Returns seconds, or undefined if there is no valid header. The header contains seconds or a date. A date is compared with the
 * response's Date header instead of our clock, because the two clocks may differ.
 */
export function parseRetryAfter(headers: Record<string, unknown>): number | undefined {
  const text = String(headers['retry-after'] ?? '')
  if (/^\d+$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - Date.parse(String(headers['date'] ?? ''))) / 1000
  return seconds > 0 ? seconds : undefined
}
