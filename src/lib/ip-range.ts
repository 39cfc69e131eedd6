/** Ranges of IP addresses, as people write them. */
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Returns the canonical spelling of a range: shortest form, host bits zeroed, and no prefix length for a single address. */
export function toCanonicalRange(line: string): string | undefined {
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
