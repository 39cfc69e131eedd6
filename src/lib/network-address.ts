/** Checks and normalizes URLs, host names and IP addresses from users and clients. */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
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
 * Returns the name of a host as hosts are compared: in lower case and Punycode, without the port and the final dot. Takes a Host header,
 * the host of a URL, or a name. Two texts that lead to the same server must not look like two hosts.
 */
export function normalizeHost(host: string): string {
  const name = host
    .trim()
    .toLowerCase()
    .replace(/\.?(?::\d*)?$/, '')
  return /[^\0-\x7f]/.test(name) ? domainToASCII(name) : name
}

/** Returns the host and all hosts above it, for example a.example.com, example.com and com. */
export function listHostAndParents(host: string): string[] {
  const labels = host.split('.')
  return labels.map((_, index) => labels.slice(index).join('.'))
}

/**
 * Splits `host`, `host:port`, `[address]:port` and a bare IPv6 address. Returns undefined if the text is none of these. It doesn't
 * check the host.
 */
export function parseHostPort(text: string): { host: string; port: number | undefined } | undefined {
  if (isIP(text) === 6) return { host: text, port: undefined }
  const match = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text)
  if (match?.[1] === undefined) return undefined
  return { host: removeBrackets(match[1]), port: match[2] === undefined ? undefined : Number(match[2]) }
}

/** `example.com:443`, `203.0.113.7:443`, `[2001:db8::7]:443` */
export function formatHostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/**
 * Returns what rate limits count as one client: an IPv4 address, or the /64 network of an IPv6 address, because one
 * client usually has a whole /64. All clients whose address is unknown count as one. The address is undefined if the
 * client reset the connection before we asked for it. Fastify's types don't mention this case.
 */
export function toClientNetwork(address: string | undefined): string {
  if (address === undefined) return 'unknown'
  if (!ipaddr.isValid(address)) return address
  const parsedAddress = ipaddr.process(address)
  if (parsedAddress.kind() === 'ipv4') return parsedAddress.toString()
  return (parsedAddress as ipaddr.IPv6).parts.slice(0, 4).join(':')
}
