/** Checks and normalizes URLs, host names and IP addresses from users and clients. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Whether the text has whitespace, control characters or backslashes. Callers reject them, because the URL parser would silently
 * drop or escape them, or read a backslash as a slash.
 */
export function hasStrayCharacters(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this is a search for control characters
  return /[\s\\\x00-\x1f\x7f]/.test(text)
}

/** Returns 'login' if the URL contains a user name or password, and undefined if the text isn't an http or https URL. */
export function parseHttpUrl(text: string): URL | 'login' | undefined {
  // The pattern requires both slashes, because the URL parser would add missing ones.
  if (hasStrayCharacters(text) || !/^https?:\/\/[^/]/i.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null || !isHostname(removeBrackets(url.hostname))) return undefined
  return /^[^/?#]*@/.test(text.slice(text.indexOf('//') + 2)) ? 'login' : url
}

export function removeBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** Accepts an IP address, or a name that the resolver accepts. Some real names contain underscores. */
export function isHostname(host: string): boolean {
  if (isIP(host) !== 0) return true
  const labels = host.replace(/\.$/, '').split('.')
  return host.length <= 253 && labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
}

/**
 * Returns what rate limits count as one client: an IPv4 address, or the /64 network of an IPv6 address, because one client
 * usually has a whole /64.
 */
export function toClientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsedAddress = ipaddr.process(address)
  if (parsedAddress.kind() === 'ipv4') return parsedAddress.toString()
  return (parsedAddress as ipaddr.IPv6).parts.slice(0, 4).join(':')
}
