/** An address without what does not belong to it: its zone, and the IPv6 clothes of an IPv4 address. */
import { isIPv4, isIPv6 } from 'node:net'

export interface PlainAddress {
  family: 'ipv4' | 'ipv6'
  text: string
}

/** undefined: no address at all. */
export function plainAddress(address: string): PlainAddress | undefined {
  if (isIPv4(address)) return { family: 'ipv4', text: address }
  if (!isIPv6(address)) return undefined
  const zone = address.indexOf('%')
  const text = zone === -1 ? address : address.slice(0, zone)
  const inner = mappedIPv4(text)
  return inner === undefined ? { family: 'ipv6', text } : { family: 'ipv4', text: inner }
}

/** `::ffff:203.0.113.7`, in any of its spellings. Sockets use the shortest one. */
function mappedIPv4(text: string): string | undefined {
  if (!/^[0:]+:ffff:/i.test(text)) return undefined
  const dotted = text.slice('::ffff:'.length)
  if (text.startsWith('::') && isIPv4(dotted)) return dotted
  // The parser of URLs has one spelling for each address.
  const groups = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(URL.parse(`http://[${text}]`)?.hostname ?? '')
  if (groups === null) return undefined
  return groups
    .slice(1)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}
