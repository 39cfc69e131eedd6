/** How paths of ours begin, so that nobody calls a prefix the same: a request could then mean either. */
const firstParts = new Set([
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

/** What could be the domain of a website, or a file: `/example.com`, `/b.js`. */
const isNamed = (part: string) => part.includes('.') || part === 'localhost'

/** Of a path or a pattern of paths, from its slash on. */
export function isOwnPath(path: string): boolean {
  const [first = '', ...rest] = path.slice(1).split('/')
  return first === '' || firstParts.has(first) || first.startsWith(':domain') || (rest.length === 0 && isNamed(first))
}
