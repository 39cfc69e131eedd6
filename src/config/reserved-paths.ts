/** First segments of our own paths. If the path prefix of the public URL began with one of them, requests would be ambiguous. */
const reservedSegments = new Set([
  '.well-known',
  'account',
  'acknowledge',
  'api',
  'assets',
  'beat',
  'docs',
  'healthz',
  'incidents',
  'keys',
  'maintenance',
  'metrics',
  'monitors',
  'notification-channels',
  'providers',
  'readyz',
  'setup',
  'sign-in',
  'status',
  'status-pages',
  'users',
  'websites',
])

/** The segment after `/beat/` is the token of a heartbeat, and the one after `/acknowledge/` that of an incident. Both are secret. */
const secretPathPattern = /^(.*?\/(?:acknowledge|beat)\/)[^/?]+/

/** Replaces a secret in the path of a URL, so that the URL can be logged. */
export const hideSecretInPath = (url: string) => url.replace(secretPathPattern, '$1***')

/** Whether the segment looks like a domain, whose statistics Belfry shows at `/example.com`, or like a file such as `b.js`. */
const isDomainOrFile = (segment: string) => segment.includes('.') || segment === 'localhost'

/** Takes a path or a route pattern, with its leading slash. */
export function isReservedPath(path: string): boolean {
  const [firstSegment = '', ...furtherSegments] = path.slice(1).split('/')
  return (
    firstSegment === '' ||
    reservedSegments.has(firstSegment) ||
    firstSegment.startsWith(':domain') ||
    (furtherSegments.length === 0 && isDomainOrFile(firstSegment))
  )
}
