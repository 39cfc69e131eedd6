/** Parses what a website excludes from its statistics: URL parameters and IP addresses, one per line. */
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { ParseResult } from '../lib/field-parser.ts'
import { MAX_EXCLUSION_LINES } from '../shared/websites.ts'

const MAX_PARAM_LENGTH = 200

export function parseIgnoredParams(text: string | null): ParseResult<string | null> {
  return parseLines(text, toCanonicalParam, 'a parameter name such as ref or utm_*, or * for all parameters')
}

export function parseExcludedIps(text: string | null): ParseResult<string | null> {
  return parseLines(text, toCanonicalRange, 'an IP address or CIDR range')
}

/** Drops blank lines and duplicates; an empty list becomes null. `toCanonical` returns undefined for an invalid line. */
function parseLines(
  text: string | null,
  toCanonical: (line: string) => string | undefined,
  expectedContent: string,
): ParseResult<string | null> {
  const entries = new Set<string>()
  const errors: string[] = []
  for (const [index, rawLine] of (text ?? '').split(/\r\n|\n|\r/).entries()) {
    const line = rawLine.trim()
    if (line === '') continue
    const entry = toCanonical(line)
    if (entry === undefined) errors.push(`line ${index + 1} is not ${expectedContent}`)
    else entries.add(entry)
    if (entries.size + errors.length > MAX_EXCLUSION_LINES) {
      return { errors: [`must have at most ${MAX_EXCLUSION_LINES} lines`] }
    }
  }
  if (errors.length > 0) return { errors }
  return { value: entries.size === 0 ? null : [...entries].join('\n') }
}

/**
 * A line `*` or `&` stands for all parameters. Other lines are case-sensitive names, which can end in `*` and can't contain the
 * separators of a query string.
 */
function toCanonicalParam(line: string): string | undefined {
  if (line === '*' || line === '&') return line
  return line.length <= MAX_PARAM_LENGTH && /^[^\s&=#?*]+\*?$/.test(line) ? line : undefined
}

/** Returns the canonical spelling of a range: shortest form, host bits zeroed, and no prefix length for a single address. */
function toCanonicalRange(line: string): string | undefined {
  const [address = '', prefix, ...extraParts] = line.split('/')
  const addressBits = isIPv4(address) ? 32 : 128
  const isAddress = addressBits === 32 || (isIPv6(address) && !address.includes('%'))
  if (!isAddress || extraParts.length > 0) return undefined
  if (prefix !== undefined && !(/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= addressBits)) return undefined
  return formatRange(parseAddress(address), prefix === undefined ? addressBits : Number(prefix))
}

/** ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4, which is a different address. The URL parser reads it correctly. */
function parseAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.parse(isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1))
}

function formatRange(address: ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number): string {
  if (address instanceof ipaddr.IPv4) {
    return prefixLength === 32
      ? address.toString()
      : `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefixLength}`)}/${prefixLength}`
  }
  // Visitors with an IPv4-mapped IPv6 address are matched by their IPv4 address, so a mapped range becomes an IPv4 range.
  if (address.isIPv4MappedAddress() && prefixLength >= 96)
    return formatRange(address.toIPv4Address(), prefixLength - 96)
  if (prefixLength === 128) return address.toRFC5952String()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${prefixLength}`).toRFC5952String()}/${prefixLength}`
}
