/** Parsers for single settings. They throw an Error whose message is shown after the setting's name. */
import ipaddr from 'ipaddr.js'
import { hasStrayCharacters, isHostname } from '../lib/network-address.ts'
import { findTimeZone } from '../lib/time-zone.ts'
import { parseDatabaseUrl } from './database-url.ts'
import { isReservedPath } from './reserved-paths.ts'

export const emailPattern = /^[^\s@<>]+@[^\s@<>]+$/

export function parseInteger(min: number, max: number) {
  return (text: string) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) {
      throw new Error(`must be a whole number from ${min} to ${max}, not "${text}"`)
    }
    return value
  }
}

export function parseChoice<T extends string>(allowedValues: readonly T[]) {
  return (text: string) => {
    const choice = allowedValues.find((value) => value === text)
    if (choice === undefined) throw new Error(`must be one of ${allowedValues.join(', ')}, not "${text}"`)
    return choice
  }
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
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username) {
    // A URL with a user name may contain a password, which must not appear in the message.
    const receivedText = url?.username ? '' : `, not "${text}"`
    throw new Error(`must be an http or https URL such as https://stats.example.com${receivedText}`)
  }
  return url.href.replace(/\/+$/, '')
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
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hash || url.username) {
    throw new Error('must be an http or https URL')
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
  if (url === null || !['https:', 'mailto:', 'tel:'].includes(url.protocol) || url.username) {
    throw new Error('must be an email address, or a URL that begins with https:, mailto: or tel:')
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
  if (zone === undefined) throw new Error(`must be a time zone such as Europe/Berlin, not "${text}"`)
  return zone
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
