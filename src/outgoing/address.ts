/** Addresses and CIDR ranges as numbers, so that all notations of an address compare equal. */
import { isIPv4, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface ParsedAddress {
  /** Length of the address: 32 for IPv4, 128 for IPv6. */
  readonly bits: 32 | 128
  readonly value: bigint
}

export interface AddressRange extends ParsedAddress {
  readonly prefixBits: number
}

/** `::ffff:0:0/96`. The system connects to these addresses over IPv4, so each one counts as the IPv4 address in it. */
const ipv4MappedRange: AddressRange = { bits: 128, value: 0xffff_0000_0000n, prefixBits: 96 }

/**
 * Accepts and ignores a zone (`eth0` in `fe80::1%eth0`), because it names an interface and is not part of the address.
 */
export function parseAddress(text: string): ParsedAddress | undefined {
  if (isIPv4(text)) return { bits: 32, value: toNumber(ipaddr.IPv4.parse(text)) }
  if (!isIPv6(text)) return undefined
  // ipaddr.js parses ::1.2.3.4 as ::ffff:1.2.3.4, which is another address. The URL parser is correct.
  const normalizedText = new URL(`http://[${text.replace(/%.*$/s, '')}]`).hostname.slice(1, -1)
  const address: ParsedAddress = { bits: 128, value: toNumber(ipaddr.IPv6.parse(normalizedText)) }
  return contains(ipv4MappedRange, address) ? readEmbeddedIPv4(address, 96) : address
}

/** Parses a CIDR range, or a single address as a range of one. */
export function parseRange(text: string): AddressRange | undefined {
  const [host = '', prefixText, ...extraParts] = text.split('/')
  const address = host.includes('%') ? undefined : parseAddress(host)
  if (address === undefined || extraParts.length > 0) return undefined
  // `parseAddress` turns an IPv4-mapped IPv6 address into one of 32 bits, but its prefix was written for 128 bits.
  const writtenAddressBits = isIPv4(host) ? 32 : 128
  if (prefixText === undefined) return { ...address, prefixBits: address.bits }
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText) || Number(prefixText) > writtenAddressBits) return undefined
  // An IPv4-mapped range counts as an IPv4 range, so it must not extend beyond the mapped addresses.
  const prefixBits = Number(prefixText) - (writtenAddressBits - address.bits)
  return prefixBits < 0 ? undefined : { ...address, prefixBits }
}

export function contains(range: AddressRange, address: ParsedAddress): boolean {
  const hostBits = BigInt(range.bits - range.prefixBits)
  return range.bits === address.bits && range.value >> hostBits === address.value >> hostBits
}

/** Returns the IPv4 address that follows a prefix of `prefixBits` bits in an IPv6 address. */
export function readEmbeddedIPv4(address: ParsedAddress, prefixBits: number): ParsedAddress {
  return { bits: 32, value: BigInt.asUintN(32, address.value >> BigInt(128 - prefixBits - 32)) }
}

function toNumber(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return BigInt(`0x${Buffer.from(address.toByteArray()).toString('hex')}`)
}
