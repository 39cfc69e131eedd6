/** One text of the environment as one value; what is wrong with it is thrown as an Error, in words. */
import ipaddr from 'ipaddr.js'
import { findTimeZone } from '../lib/time-zone.ts'
import { isHostname } from '../lib/network-address.ts'
import { isOwnPath } from './own-paths.ts'

export const mailAddress = /^[^\s@<>]+@[^\s@<>]+$/

export function wholeNumber(least: number, most: number) {
  return (text: string) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most) {
      throw new Error(`must be a whole number from ${least} to ${most}, not "${text}"`)
    }
    return value
  }
}

export function oneOf<T extends string>(allowed: readonly T[]) {
  return (text: string) => {
    const found = allowed.find((value) => value === text)
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}, not "${text}"`)
    return found
  }
}

export function atLeast(length: number) {
  return (text: string) => {
    if (text.length < length) throw new Error(`must have at least ${length} characters`)
    return text
  }
}

export function setOf<T extends string>(allowed: readonly T[]) {
  return (text: string): ReadonlySet<T> => new Set(text.split(',').map((part) => oneOf(allowed)(part.trim())))
}

export function webAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search || url.hash || url.username) {
    const shown = url?.username ? '' : `, not "${text}"`
    throw new Error(`must be an http or https address such as https://stats.example.com${shown}`)
  }
  return url.href.replace(/\/+$/, '')
}

/** Where people find us: perhaps under a path, which must not look like one of ours. */
export function ownAddress(text: string): string {
  const address = webAddress(text)
  const { pathname } = new URL(address)
  if (pathname !== '/' && isOwnPath(pathname)) {
    throw new Error(`must not have the path ${pathname}, which Belfry itself uses; choose another, such as /belfry`)
  }
  return address
}

/** The full address of an endpoint: it may have a query, and is kept as it is. */
export function endpointAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.hash || url.username) {
    throw new Error('must be an http or https address')
  }
  return text
}

export function mailServer(text: string): string {
  const url = URL.parse(text)
  // The text is not repeated: it may hold a password.
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

/** One address, with or without a name before it. */
export function mailSender(text: string): string {
  const address = /^[^<>\r\n]*<([^<>]+)>$/.exec(text)?.[1] ?? text
  if (!mailAddress.test(address))
    throw new Error(`must be an address such as Belfry <belfry@example.com>, not "${text}"`)
  return text
}

export function databaseAddress(text: string): string {
  // The text is not repeated: it may hold a password.
  if (!/^postgres(ql)?:\/\//.test(text) || URL.parse(text) === null) {
    throw new Error('must look like postgres://user:password@host:5432/belfry')
  }
  return text
}

export function addressRanges(text: string): string[] {
  return text.split(',').map((part) => {
    const range = part.trim()
    const isRange = range.includes('/') ? ipaddr.isValidCIDR(range) : ipaddr.isValid(range)
    if (!isRange) throw new Error(`"${range}" is neither an address nor a range such as 10.0.0.0/8`)
    return range
  })
}

export function timeZone(text: string): string {
  const zone = findTimeZone(text)
  if (zone === undefined) throw new Error(`must be a time zone such as Europe/Berlin, not "${text}"`)
  return zone
}

/** With commas between; an IPv6 address in brackets. */
export function hostsAndPorts(text: string): { host: string; port: number }[] {
  return text.split(',').map((part) => {
    const [, bracketed, name, digits] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(part.trim()) ?? []
    const host = (bracketed ?? name ?? '').toLowerCase()
    const port = Number(digits)
    if (!isHostname(host) || !(port >= 1 && port <= 65_535)) {
      throw new Error(`"${part.trim()}" is not a host and port such as 1.1.1.1:443`)
    }
    return { host, port }
  })
}
