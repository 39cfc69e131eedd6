/** IP addresses in one spelling: without a zone, and IPv4 addresses never written as IPv6. */
import { isIPv4, isIPv6 } from 'node:net'

export interface IpAddress {
  family: 'ipv4' | 'ipv6'
  text: string
}

/** Returns undefined when the text is not an IP address. */
export function parseIp(address: string): IpAddress | undefined {
  if (isIPv4(address)) return { family: 'ipv4', text: address }
  if (!isIPv6(address)) return undefined
  const zoneStart = address.indexOf('%')
  const text = zoneStart === -1 ? address : address.slice(0, zoneStart)
  const ipv4 = extractMappedIPv4(text)
  return ipv4 === undefined ? { family: 'ipv6', text } : { family: 'ipv4', text: ipv4 }
}

/** Reads the IPv4 address out of `::ffff:203.0.113.7` and its longer spellings. Sockets report the shortest spelling. */
function extractMappedIPv4(text: string): string | undefined {
  if (!/^[0:]+:ffff:/i.test(text)) return undefined
  const dotted = text.slice('::ffff:'.length)
  if (text.startsWith('::') && isIPv4(dotted)) return dotted
  // The URL parser normalizes every spelling to `::ffff:` and two groups of hex digits.
  const groups = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${text}]`)?.hostname ?? '')
  if (groups === null) return undefined
  return groups
    .slice(1)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}
