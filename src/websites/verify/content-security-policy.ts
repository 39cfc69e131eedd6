/**
 * Decides whether the Content-Security-Policy of a page lets the tracker load and send events, and which directives would
 * let it. Browsers enforce every policy of a page, so each of them must allow the tracker.
 */

export interface PagePolicy {
  /** The HTTP header or a `<meta>` element of the page. */
  source: 'header' | 'meta'
  text: string
}

export interface TrackerRequest {
  scriptUrl: URL
  /** Where the tracker sends events. */
  eventUrl: URL
  /** The `nonce` of the script element. */
  nonce: string | undefined
  pageUrl: URL
}

export interface BlockedDirective {
  directive: 'script-src' | 'connect-src'
  source: PagePolicy['source']
  /** The directive that blocks the tracker, as the page has it. */
  current: string
  /** The directive that allows the tracker. It replaces `current`, or is added beside a `default-src`. */
  required: string
}

/** A header can hold several policies, separated by commas. */
export const splitPolicies = (text: string, source: PagePolicy['source']): PagePolicy[] =>
  text.split(',').flatMap((policy) => (policy.trim() === '' ? [] : [{ source, text: policy }]))

export function findBlockedDirectives(policies: readonly PagePolicy[], request: TrackerRequest): BlockedDirective[] {
  return policies.flatMap(({ source, text }) => {
    const directives = parseDirectives(text)
    const script = findDirective(directives, ['script-src-elem', 'script-src', 'default-src'])
    const connect = findDirective(directives, ['connect-src', 'default-src'])
    return [
      script !== undefined && !allowsScript(script.values, request)
        ? [{ source, ...describeBlocked('script-src', script, request.scriptUrl) }]
        : [],
      connect !== undefined && !allowsUrl(connect.values, request.eventUrl, request.pageUrl)
        ? [{ source, ...describeBlocked('connect-src', connect, request.eventUrl) }]
        : [],
    ].flat()
  })
}

interface Directive {
  name: string
  values: readonly string[]
}

/** If a directive is repeated, browsers use the first one. */
function parseDirectives(policy: string): Map<string, Directive> {
  const directives = new Map<string, Directive>()
  for (const part of policy.split(';')) {
    const [name = '', ...values] = part.trim().split(/\s+/)
    const key = name.toLowerCase()
    if (key !== '' && !directives.has(key)) directives.set(key, { name: key, values })
  }
  return directives
}

const findDirective = (directives: ReadonlyMap<string, Directive>, names: readonly string[]) =>
  names.map((name) => directives.get(name)).find((directive) => directive !== undefined)

function allowsScript(values: readonly string[], { scriptUrl, nonce, pageUrl }: TrackerRequest): boolean {
  if (nonce !== undefined && nonce !== '' && values.includes(`'nonce-${nonce}'`)) return true
  // With 'strict-dynamic', browsers ignore lists of hosts.
  if (hasKeyword(values, "'strict-dynamic'")) return false
  return allowsUrl(values, scriptUrl, pageUrl)
}

const hasKeyword = (values: readonly string[], keyword: string) =>
  values.some((value) => value.toLowerCase() === keyword)

const allowsUrl = (values: readonly string[], url: URL, pageUrl: URL) =>
  values.some((value) => matchesSource(value, url, pageUrl))

const sourcePattern = /^(?:([a-z][a-z\d+.-]*):\/\/)?(\*|(?:\*\.)?[^:/*]+)(?::(\d+|\*))?(\/.*)?$/

/** Matches a URL with one source expression, as in https://www.w3.org/TR/CSP3/#match-url-to-source-expression. */
function matchesSource(value: string, url: URL, pageUrl: URL): boolean {
  const source = value.toLowerCase()
  if (source === '*') return isNetworkScheme(url.protocol)
  if (source === "'self'") return isOwnOrigin(url, pageUrl)
  if (/^[a-z][a-z\d+.-]*:$/.test(source)) return matchesScheme(source, url.protocol)
  const match = sourcePattern.exec(source)
  if (match === null) return false
  const [, scheme, host = '', port, path] = match
  return (
    matchesScheme(scheme === undefined ? pageUrl.protocol : `${scheme}:`, url.protocol) &&
    matchesHost(host, url.hostname) &&
    matchesPort(port, url) &&
    (path === undefined || matchesPath(value.slice(value.length - path.length), url.pathname))
  )
}

const isNetworkScheme = (protocol: string) => protocol === 'https:' || protocol === 'http:'
const isOwnOrigin = (url: URL, pageUrl: URL) =>
  url.hostname === pageUrl.hostname &&
  getPort(url) === getPort(pageUrl) &&
  matchesScheme(pageUrl.protocol, url.protocol)
/** What is allowed over http is also allowed over https. */
const matchesScheme = (allowed: string, actual: string) =>
  allowed === actual || (allowed === 'http:' && actual === 'https:')
const matchesHost = (pattern: string, host: string) =>
  pattern === '*' || pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)))
const getPort = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')
const matchesPort = (allowed: string | undefined, url: URL) =>
  allowed === undefined ? url.port === '' : allowed === '*' || allowed === getPort(url)
/** A path that ends with a slash allows everything below it. */
const matchesPath = (allowed: string, path: string) =>
  allowed.endsWith('/') ? path.startsWith(allowed) : path === allowed

/** `required` keeps what the page allows already, and adds the server. */
function describeBlocked(directive: BlockedDirective['directive'], { name, values }: Directive, url: URL) {
  const keptValues = values.filter((value) => value.toLowerCase() !== "'none'")
  // A nonce is the only thing that 'strict-dynamic' accepts. Its value must change with every response.
  const isStrict = directive === 'script-src' && hasKeyword(values, "'strict-dynamic'")
  const hasNonce = values.some((value) => value.toLowerCase().startsWith("'nonce-"))
  const addition = isStrict ? (hasNonce ? [] : ["'nonce-…'"]) : [url.origin]
  // An existing script-src-elem takes precedence over script-src.
  const requiredName = name === 'script-src-elem' ? name : directive
  return {
    directive,
    current: [name, ...values].join(' '),
    required: [requiredName, ...keptValues, ...addition].join(' '),
  }
}
