/** Parsers for single settings. They throw an Error whose message is shown after the setting's name. */
import ipaddr from 'ipaddr.js'
import { findClosest } from '../lib/closest.ts'
import { hasStrayCharacters, isHostname, removeBrackets } from '../lib/network-address.ts'
import { findTimeZone } from '../lib/time-zone.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../shared/limits.ts'
import { toCurrentZoneName } from '../shared/time-zones.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { isReservedPath } from './reserved-paths.ts'

const emailPattern = /^[^\s@<>]+@[^\s@<>]+$/

/** What people write for `on` and `off`, and for the log levels `warn` and `silent`. */
const synonyms: Record<string, string> = {
  true: 'on',
  yes: 'on',
  1: 'on',
  enabled: 'on',
  false: 'off',
  no: 'off',
  0: 'off',
  disabled: 'off',
  warning: 'warn',
  none: 'silent',
}

const suggest = (value: string | undefined) => (value === undefined ? '' : `; did you mean ${value}?`)

export function parseInteger(min: number, max: number) {
  return (text: string) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      const digits = /^\d[\d_,]*$/.test(text) ? text.replace(/\D/g, '') : text
      const suggestion = digits === text ? undefined : digits
      throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"${suggest(suggestion)}`)
    }
    return value
  }
}

/** Returns Infinity for `forever`. */
export function parseDays(min: number, max: number) {
  const parseCount = parseInteger(min, max)
  return (text: string) => {
    if (text === 'forever') return Number.POSITIVE_INFINITY
    if (/^\d/.test(text)) return parseCount(text)
    throw new Error(`must be forever or a whole number from ${min} to ${max}, not "${text}"`)
  }
}

export function parseChoice<T extends string>(allowedValues: readonly T[]) {
  return (text: string) => {
    const choice = allowedValues.find((value) => value === text)
    if (choice === undefined) {
      const synonym = allowedValues.find((value) => value === synonyms[text.toLowerCase()])
      const suggestion = synonym ?? findClosest(text, allowedValues)
      throw new Error(`must be one of ${allowedValues.join(', ')}, not "${text}"${suggest(suggestion)}`)
    }
    return choice
  }
}

export function parseListenHost(text: string): string {
  if (!isHostname(text.toLowerCase())) {
    const address = URL.parse(text.includes('://') ? text : `http://${text}`)?.hostname
    const suggestion = [removeBrackets(address ?? '')].find(isHostname)
    throw new Error(
      `must be an IP address or host name such as 0.0.0.0, without a port, not "${text}"${suggest(suggestion)}`,
    )
  }
  return text
}

export function parseHeaderName(text: string): string {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(text)) {
    const suggestion = /^([\w-]+)\s*:/.exec(text)?.[1]
    throw new Error(`must be the name of a header, such as x-forwarded-for, not "${text}"${suggest(suggestion)}`)
  }
  return text.toLowerCase()
}

export function parseEmail(text: string): string {
  if (!emailPattern.test(text)) throw new Error('must be an email address')
  return text
}

/** Parses the domains of email addresses, which are separated by commas or spaces. */
export function parseMailDomains(text: string): string[] {
  const domains = text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
  if (domains.length === 0) throw new Error('must be a list of domains such as example.com')
  for (const domain of domains) {
    const suggestion = [domain.slice(domain.lastIndexOf('@') + 1)].find((name) => name !== domain && isHostname(name))
    if (!isHostname(domain))
      throw new Error(
        `must be a list of domains such as example.com; "${domain}" is not a domain${suggest(suggestion)}`,
      )
  }
  return domains
}

export function parsePassword(text: string): string {
  if (text.length < MIN_PASSWORD_LENGTH || text.length > MAX_PASSWORD_LENGTH) {
    throw new Error(`must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`)
  }
  return text
}

export function parseTextOfMinLength(length: number) {
  return (text: string) => {
    if (text.length < length) throw new Error(`must have at least ${length} characters`)
    return text
  }
}

export function parseChoices<T extends string>(allowedValues: readonly T[]) {
  return (text: string): ReadonlySet<T> =>
    new Set(text.split(',').map((part) => parseChoice(allowedValues)(part.trim())))
}

export function parseBaseUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || hasLogin(url)) {
    // A login or a query may contain a password, which must not appear in the message.
    const remark = /[@?#]/.test(text)
      ? ' without a user name, password, query or fragment (#…)'
      : `, not "${text}"${suggest(addHttps(text))}`
    throw new Error(`must be an http or https URL such as https://stats.example.com${remark}`)
  }
  return url.href.replace(/\/+$/, '')
}

const hasLogin = ({ username, password }: URL) => username !== '' || password !== ''

/** Adds the missing scheme to `stats.example.com` or `stats.example.com/belfry`. */
function addHttps(text: string): string | undefined {
  const isUrl = /^[\w-]+(\.[\w-]+)+(:\d+)?(\/.*)?$/.test(text) && URL.canParse(`https://${text}`)
  return isUrl ? `https://${text}` : undefined
}

/** The URL can have a path, but not one that Belfry itself uses. */
export function parsePublicUrl(text: string): string {
  const url = parseBaseUrl(text)
  const { pathname } = new URL(url)
  if (pathname !== '/' && isReservedPath(pathname)) {
    throw new Error(`must not have the path ${pathname}, which Belfry itself uses; choose another path such as /belfry`)
  }
  return url
}

/** The URL can have a query and is used unchanged. */
export function parseEndpointUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hash || hasLogin(url)) {
    throw new Error('must be an http or https URL without a user name, password or fragment (#…)')
  }
  return text
}

export function parseSmtpUrl(text: string): string {
  const url = URL.parse(text)
  // The message must not repeat the text, which may contain a password.
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '' || !isDecodable(url)) {
    throw new Error('must look like smtp://user:password@mail.example.com:587 or smtps://…')
  }
  return text
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}

/** Accepts an email address or a URI, and returns a URI. */
export function parseContact(text: string): string {
  if (emailPattern.test(text) && !text.includes(':')) return `mailto:${text}`
  const url = hasStrayCharacters(text) ? null : URL.parse(text)
  if (url === null || !['https:', 'mailto:', 'tel:'].includes(url.protocol) || hasLogin(url)) {
    throw new Error(
      'must be an email address, or a URL that begins with https:, mailto: or tel:, without a user name or password',
    )
  }
  return url.href
}

/** Accepts an email address, optionally preceded by a name. */
export function parseMailSender(text: string): string {
  const address = /^[^<>\r\n]*<([^<>]+)>$/.exec(text)?.[1] ?? text
  if (!emailPattern.test(address))
    throw new Error(`must be an email address such as Belfry <belfry@example.com>, not "${text}"`)
  return text
}

/** The text is parsed again when the database is opened, which also reads the certificates that it names. */
export function parseDatabaseUrlText(text: string): string {
  parseDatabaseUrl(text)
  return text
}

export function parseIpRanges(text: string): string[] {
  return text.split(',').map((part) => {
    const range = part.trim()
    const isRange = range.includes('/') ? ipaddr.isValidCIDR(range) : ipaddr.isValid(range)
    if (!isRange) throw new Error(`"${range}" is not an IP address or CIDR range such as 10.0.0.0/8`)
    return range
  })
}

export function parseTimeZone(text: string): string {
  const zone = findTimeZone(text)
  if (zone === undefined) {
    throw new Error(`must be a time zone such as Europe/Berlin, not "${text}"${suggest(findSimilarZone(text))}`)
  }
  return zone
}

/** `Berlin` is probably Europe/Berlin, and so is `Europe/Berln`. */
function findSimilarZone(text: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone').map(toCurrentZoneName)
  const city = text.toLowerCase().replaceAll(' ', '_')
  return zones.find((zone) => zone.toLowerCase().endsWith(`/${city}`)) ?? findClosest(text, zones)
}

/** Parses a comma-separated list. IPv6 addresses are in brackets. */
export function parseHostPorts(text: string): { host: string; port: number }[] {
  return text.split(',').map((part) => {
    const [, bracketedAddress, name, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(part.trim()) ?? []
    const host = (bracketedAddress ?? name ?? '').toLowerCase()
    const port = Number(digits)
    if (!isHostname(host) || !(port >= 1 && port <= 65_535)) {
      throw new Error(`"${part.trim()}" is not a host and port such as 1.1.1.1:443`)
    }
    return { host, port }
  })
}
