/** What an address is counted under. */
import ipaddr from 'ipaddr.js'

/** Whoever has one IPv6 address has the 2^64 of its network: they count as one. */
export function addressName(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return (parsed as ipaddr.IPv6).parts.slice(0, 4).join(':')
}
