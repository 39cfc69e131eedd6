/** Decides which addresses Belfry connects to: public ones, and those that the operator allows. */
import { BoundedMap } from '../lib/bounded-map.ts'
import {
  type AddressRange,
  contains,
  type ParsedAddress,
  parseAddress,
  parseRange,
  readEmbeddedIPv4,
} from './address.ts'
import type { PrivateTargets } from './private-targets.ts'

export type AddressKind =
  | 'a loopback address'
  | 'a private address'
  | 'a link-local address'
  | 'a multicast address'
  | 'a reserved address'
  | 'the address of a cloud metadata service'
  | 'an unknown kind of address'

/** The ranges of IANA's registries of special-purpose addresses. The first matching entry decides. */
const specialRanges: readonly (readonly [AddressKind, readonly AddressRange[]])[] = [
  ['a loopback address', toRanges('127.0.0.0/8', '::1')],
  ['a private address', toRanges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10')],
  // Carrier-grade NAT. Private networks such as Tailscale's use it too.
  ['a private address', toRanges('100.64.0.0/10')],
  ['a link-local address', toRanges('169.254.0.0/16', 'fe80::/10')],
  ['a multicast address', toRanges('224.0.0.0/4', 'ff00::/8')],
  ['a reserved address', toRanges('0.0.0.0/8', '192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4')],
  ['a reserved address', toRanges('192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20')],
  // Protocol assignments, including Teredo (2001::/32), benchmarks (2001:2::/48) and both ORCHIDs (2001:10::/28, 2001:20::/28).
  ['a reserved address', toRanges('2001::/23')],
  // Everything except global unicast (2000::/3). Includes ::/96 and 64:ff9b:1::/48, which embed IPv4 addresses.
  ['a reserved address', toRanges('::/3', '4000::/2', '8000::/1')],
]

/** IPv6 prefixes followed by an IPv4 address, to which a gateway may connect: IPv4-translated, NAT64, 6to4. */
const embeddingPrefixes = toRanges('::ffff:0:0:0/96', '64:ff9b::/96', '2002::/16')

/** Cloud metadata services give the machine's credentials to anyone who can connect to them. */
const metadataServices = toRanges(
  '169.254.169.254', // most clouds
  'fe80::a9fe:a9fe', // OpenStack
  '169.254.170.2', // Amazon ECS
  '169.254.170.23', // Amazon EKS
  'fd00:ec2::254', // Amazon
  'fd00:ec2::23', // Amazon EKS
  'fd20:ce::254', // Google
  '168.63.129.16', // Azure; a public address
  '100.100.100.200', // Alibaba
  'fd00:100::100:200', // Alibaba
  '192.0.0.192', // Oracle
  'fd00:c1::a9fe:a9fe', // Oracle
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  'fd00:42::42', // Scaleway
  'fd00:a9fe:a9fe::1', // Akamai
)

const MAX_CACHED_ADDRESSES = 10_000

export class AddressPolicy {
  readonly #allowsAll: boolean
  readonly #allowedRanges: readonly AddressRange[]
  readonly #allowedSingleAddresses: readonly AddressRange[]
  /** Checks connect to the same addresses again and again, and classifying an address takes 2 µs. */
  readonly #cache = new BoundedMap<string, AddressKind | 'allowed'>(MAX_CACHED_ADDRESSES)

  constructor(targets: PrivateTargets) {
    this.#allowsAll = targets.allowsAll
    this.#allowedRanges = toRanges(...targets.ranges)
    this.#allowedSingleAddresses = this.#allowedRanges.filter((range) => range.prefixBits === range.bits)
  }

  /** Returns the kind of an address that must not be dialled, or undefined for an allowed address. */
  findRefusal(text: string): AddressKind | undefined {
    const cachedKind = this.#cache.get(text)
    if (cachedKind !== undefined) return cachedKind === 'allowed' ? undefined : cachedKind
    const kind = this.#classify(text)
    this.#cache.set(text, kind ?? 'allowed')
    return kind
  }

  #classify(text: string): AddressKind | undefined {
    const address = parseAddress(text)
    if (address === undefined) return 'an unknown kind of address'
    const embeddedAddress = findEmbeddedAddress(address)
    const matches = (ranges: readonly AddressRange[]) =>
      isInAny(ranges, address) || (embeddedAddress !== undefined && isInAny(ranges, embeddedAddress))

    if (matches(metadataServices))
      return matches(this.#allowedSingleAddresses) ? undefined : 'the address of a cloud metadata service'
    if (this.#allowsAll || matches(this.#allowedRanges)) return undefined
    return findKind(embeddedAddress ?? address)
  }
}

function findKind(address: ParsedAddress): AddressKind | undefined {
  return specialRanges.find(([, ranges]) => isInAny(ranges, address))?.[0]
}

function findEmbeddedAddress(address: ParsedAddress): ParsedAddress | undefined {
  const embeddingPrefix = embeddingPrefixes.find((range) => contains(range, address))
  return embeddingPrefix && readEmbeddedIPv4(address, embeddingPrefix.prefixBits)
}

function isInAny(ranges: readonly AddressRange[], address: ParsedAddress): boolean {
  return ranges.some((range) => contains(range, address))
}

function toRanges(...texts: readonly string[]): AddressRange[] {
  return texts.map((text) => {
    const range = parseRange(text)
    if (range === undefined) throw new Error(`"${text}" is not an address or CIDR range`)
    return range
  })
}
