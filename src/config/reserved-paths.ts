/** First segments of our own paths. A path prefix with the same name would make requests ambiguous. */
const reservedSegments = new Set([
  'account',
  'api',
  'assets',
  'docs',
  'healthz',
  'keys',
  'metrics',
  'monitors',
  'providers',
  'readyz',
  'setup',
  'sign-in',
  'users',
  'websites',
])

/** Whether the segment could be the page of a website or a file, such as `/example.com` or `/b.js`. */
const isDomainOrFile = (segment: string) => segment.includes('.') || segment === 'localhost'

/** Takes a path or a route pattern, with its leading slash. */
export function isReservedPath(path: string): boolean {
  const [first = '', ...furtherSegments] = path.slice(1).split('/')
  return (
    first === '' ||
    reservedSegments.has(first) ||
    first.startsWith(':domain') ||
    (furtherSegments.length === 0 && isDomainOrFile(first))
  )
}
