/** First segments of our own paths. If the path prefix of the public URL began with one of them, requests would be ambiguous. */
const reservedSegments = new Set([
  '.well-known',
  'account',
  'acknowledge',
  'api',
  'assets',
  'audit',
  'beat',
  'confirm-email',
  'docs',
  'forgot-password',
  'healthz',
  'incidents',
  'invitations',
  'keys',
  'maintenance',
  'metrics',
  'monitors',
  'notification-channels',
  'providers',
  'readyz',
  'reset-password',
  'setup',
  'sign-in',
  'status',
  'status-pages',
  'team',
  'teams',
  'users',
  'websites',
])

/** The segment after each of these is a secret token: of a heartbeat, an incident, or a link that was sent to a person. */
const secretPathPattern = /^(.*?\/(?:acknowledge|beat|confirm-email|invitations|reset-password)\/)[^/?]+/

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
