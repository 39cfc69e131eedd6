/** Addresses and ranges as numbers: however they are spelt, the same one is the same. */
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface Address {
  readonly bits: 32 | 128
  readonly value: bigint
}

export interface Range extends Address {
  readonly prefix: number
}

/** `::ffff:0:0/96`: the system dials IPv4 for these, so they are the IPv4 addresses they hold. */
const mapped: Range = { bits: 128, value: 0xffff_0000_0000n, prefix: 96 }

/** Takes a zone (`fe80::1%eth0`) and leaves it aside: it says which cable, not which address. */
export function parseAddress(text: string): Address | undefined {
  if (isIPv4(text)) return { bits: 32, value: toNumber(ipaddr.IPv4.parse(text)) }
  if (!isIPv6(text)) return undefined
  // ipaddr.js takes ::1.2.3.4 for ::ffff:1.2.3.4, which is another address; the parser of URLs knows better.
  const spelling = new URL(`http://[${text.replace(/%.*$/s, '')}]`).hostname.slice(1, -1)
  const address: Address = { bits: 128, value: toNumber(ipaddr.IPv6.parse(spelling)) }
  return contains(mapped, address) ? innerIPv4(address, 96) : address
}

/** An address by itself is a range of one. */
export function parseRange(text: string): Range | undefined {
  const [spelling = '', length, ...more] = text.split('/')
  const address = spelling.includes('%') ? undefined : parseAddress(spelling)
  if (address === undefined || more.length > 0) return undefined
  const spelledBits = isIPv4(spelling) ? 32 : 128
  if (length === undefined) return { ...address, prefix: address.bits }
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > spelledBits) return undefined
  // A mapped range is one of IPv4; one that reaches beyond the mapped addresses would be two at once.
  const prefix = Number(length) - (spelledBits - address.bits)
  return prefix < 0 ? undefined : { ...address, prefix }
}

export function contains(range: Range, address: Address): boolean {
  const rest = BigInt(range.bits - range.prefix)
  return range.bits === address.bits && range.value >> rest === address.value >> rest
}

/** The IPv4 address that stands behind the first bits of an IPv6 address. */
export function innerIPv4(address: Address, behind: number): Address {
  return { bits: 32, value: BigInt.asUintN(32, address.value >> BigInt(128 - behind - 32)) }
}

function toNumber(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`)
}
