/** What a website leaves out of its statistics: query parameters and addresses, one a line. */
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { ParseResult } from '../lib/field-parser.ts'
import { readLines } from './lines.ts'

const PARAM_MOST = 200

export function readParams(text: string | null): ParseResult<string | null> {
  return readLines(text, canonicalParam, 'a parameter name such as ref or utm_*, or * for all parameters')
}

/** Names as they stand in a query, so none holds what divides a query. Case matters. */
function canonicalParam(line: string): string | undefined {
  if (line === '*' || line === '&') return line
  return line.length <= PARAM_MOST && /^[^\s&=#?*]+\*?$/.test(line) ? line : undefined
}

export function readAddresses(text: string | null): ParseResult<string | null> {
  return readLines(text, canonicalRange, 'an IP address or CIDR range')
}

/** One spelling for each range: shortest form, nothing set behind the prefix, a range of one address without its prefix. */
function canonicalRange(line: string): string | undefined {
  const [address = '', prefix, ...more] = line.split('/')
  const bits = isIPv4(address) ? 32 : 128
  const isAddress = bits === 32 || (isIPv6(address) && !address.includes('%'))
  if (!isAddress || more.length > 0) return undefined
  if (prefix !== undefined && !(/^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= bits)) return undefined
  return spellRange(parse(address), prefix === undefined ? bits : Number(prefix))
}

/** ipaddr.js takes ::1.2.3.4 for ::ffff:1.2.3.4, which is another address; the parser of URLs knows better. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.parse(isIPv4(address) ? address : new URL(`http://[${address}]`).hostname.slice(1, -1))
}

function spellRange(address: ipaddr.IPv4 | ipaddr.IPv6, length: number): string {
  if (address instanceof ipaddr.IPv4) {
    return length === 32
      ? address.toString()
      : `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/${length}`)}/${length}`
  }
  // Visitors by IPv4 are known by their IPv4 address, however their connection wrote it.
  if (address.isIPv4MappedAddress() && length >= 96) return spellRange(address.toIPv4Address(), length - 96)
  if (length === 128) return address.toRFC5952String()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/${length}`).toRFC5952String()}/${length}`
}
