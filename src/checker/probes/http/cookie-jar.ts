/**
 * The cookies that responses set along the redirects of one check (RFC 6265). Without them, a site that sets a cookie and
 * redirects to itself would redirect for ever. A jar never outlives its check.
 */
import { isIP } from 'node:net'
import { getPublicSuffix } from 'tldts'
import { removeBrackets } from '../../../lib/network-address.ts'

interface Cookie {
  name: string
  value: string
  /** Without `isHostOnly`, the cookie is sent to subdomains too. */
  domain: string
  isHostOnly: boolean
  path: string
  isSecure: boolean
  /** Milliseconds since 1970. */
  expiresAt: number
}

const MAX_COOKIES = 50
const MAX_COOKIE_LENGTH = 4_096
// biome-ignore lint/suspicious/noControlCharactersInRegex: Node refuses to send control characters, except tabs
const unsendablePattern = /[\x00-\x08\x0a-\x1f\x7f]/

export class CookieJar {
  #cookies: Cookie[] = []

  /** Stores the `Set-Cookie` headers of a response to `url`. `now` is in milliseconds since 1970. */
  add(setCookieHeaders: readonly string[], url: URL, now: number): void {
    for (const header of setCookieHeaders) {
      const cookie = parseCookie(header, url, now)
      if (cookie === undefined) continue
      this.#cookies = this.#cookies.filter((other) => !isSameCookie(other, cookie))
      if (this.#cookies.length < MAX_COOKIES) this.#cookies.push(cookie)
    }
  }

  /** Returns the cookies to send to `url`. Those with the longest path come first. */
  list(url: URL, now: number): { name: string; value: string }[] {
    const host = getHost(url)
    return this.#cookies
      .filter(({ domain, isHostOnly }) => host === domain || (!isHostOnly && isSubdomain(host, domain)))
      .filter(({ path }) => matchesPath(url.pathname, path))
      .filter(({ isSecure, expiresAt }) => expiresAt > now && (!isSecure || url.protocol === 'https:'))
      .sort((a, b) => b.path.length - a.path.length)
  }
}

/** Returns undefined if the cookie is invalid, or if the server may not set it. */
function parseCookie(header: string, url: URL, now: number): Cookie | undefined {
  const [pair = '', ...attributeTexts] = header.split(';')
  const separator = pair.indexOf('=')
  const name = pair.slice(0, separator).trim()
  if (separator < 1 || name === '' || header.length > MAX_COOKIE_LENGTH || unsendablePattern.test(pair))
    return undefined
  const attributes = new Map(attributeTexts.map(parseAttribute))
  const host = getHost(url)
  const domain = attributes.get('domain')?.replace(/^\./, '').toLowerCase() || host
  // A cookie for a public suffix such as co.uk would be sent to sites of other people.
  const isPublicSuffix = isIP(host) !== 0 || getPublicSuffix(domain, { allowPrivateDomains: true }) === domain
  if (domain !== host && (isPublicSuffix || !isSubdomain(host, domain))) return undefined
  const path = attributes.get('path')
  const isSecure = attributes.has('secure')
  const cookie: Cookie = {
    name,
    value: pair.slice(separator + 1).trim(),
    domain,
    isHostOnly: !attributes.get('domain') || isPublicSuffix,
    path: path?.startsWith('/') ? path : getDefaultPath(url),
    isSecure,
    expiresAt: parseExpiry(attributes, now),
  }
  return isSecure && url.protocol !== 'https:' ? undefined : cookie
}

function parseAttribute(text: string): [name: string, value: string] {
  const [name = '', ...rest] = text.split('=')
  return [name.trim().toLowerCase(), rest.join('=').trim()]
}

/** Without a valid expiry date, the cookie is valid until the end of the check. */
function parseExpiry(attributes: Map<string, string>, now: number): number {
  const maxAge = attributes.get('max-age') ?? ''
  if (/^-?\d+$/.test(maxAge)) return now + Number(maxAge) * 1000
  const expiresAt = Date.parse(attributes.get('expires') ?? '')
  return Number.isNaN(expiresAt) ? Number.POSITIVE_INFINITY : expiresAt
}

/** Returns the folder of the URL: `/shop` for `/shop/cart`. */
function getDefaultPath({ pathname }: URL): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')))
}

function matchesPath(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)
}

const getHost = (url: URL) => removeBrackets(url.hostname)

const isSubdomain = (host: string, domain: string) => isIP(host) === 0 && host.endsWith(`.${domain}`)

const isSameCookie = (a: Cookie, b: Cookie) =>
  a.name === b.name && a.domain === b.domain && a.isHostOnly === b.isHostOnly && a.path === b.path
