/** Reads a domain's registration from the response of an RDAP server (RFC 9083). */

export interface DomainRegistration {
  /** null if the registry doesn't publish it. */
  expiresAt: Date | null
  /**
   * The statuses in lower case and without spaces, such as `redemptionperiod`, because servers spell them in several
   * ways.
   */
  statuses: string[]
}

const MAX_STATUSES = 50
/** A date outside of these years is a mistake. */
const MIN_YEAR = 1985
const MAX_YEAR = 2200

/** Returns undefined if the text isn't a response about `domain`. */
export function readRegistration(text: string, domain: string): DomainRegistration | undefined {
  const response = parseObject(text)
  if (response === undefined || response['objectClassName'] !== 'domain') return undefined
  const { ldhName, status, events } = response
  if (typeof ldhName === 'string' && ldhName.toLowerCase().replace(/\.$/, '') !== domain) return undefined
  return { expiresAt: findExpiry(toList(events)), statuses: toList(status).slice(0, MAX_STATUSES).flatMap(toStatus) }
}

/** Whether a response with status 404 comes from an RDAP server, and not from a website that has no such page. */
export const isRdapError = (text: string): boolean => text.trim() === '' || parseObject(text) !== undefined

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const toStatus = (value: unknown) => (typeof value === 'string' ? [value.toLowerCase().replace(/[^a-z]/g, '')] : [])

/** If there are several dates, the earliest one counts. */
function findExpiry(events: unknown[]): Date | null {
  const dates = events
    .filter(isObject)
    .filter(({ eventAction }) => eventAction === 'expiration')
    .map(({ eventDate }) => new Date(typeof eventDate === 'string' ? eventDate : Number.NaN))
    .filter((date) => date.getUTCFullYear() >= MIN_YEAR && date.getUTCFullYear() <= MAX_YEAR)
    .sort((a, b) => a.getTime() - b.getTime())
  return dates[0] ?? null
}
