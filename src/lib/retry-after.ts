/** The Retry-After header (RFC 9110). */

/**
 * Returns seconds, or undefined if there is no valid header. It contains seconds, or a date, which is compared with the
 * response's Date header and not with our clock.
 */
export function parseRetryAfter(headers: Record<string, unknown>): number | undefined {
  const text = String(headers['retry-after'] ?? '')
  if (/^\d+$/.test(text)) return Number(text)
  const seconds = (Date.parse(text) - Date.parse(String(headers['date'] ?? ''))) / 1000
  return seconds > 0 ? seconds : undefined
}
