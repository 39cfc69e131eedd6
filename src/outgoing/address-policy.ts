/** Which addresses may be dialled: the public ones, and what the operator opened. */
import { BoundedMap } from '../lib/bounded-map.ts'
import { type Address, contains, innerIPv4, parseAddress, parseRange, type Range } from './address.ts'
import type { PrivateTargets } from './private-targets.ts'

export type AddressKind =
  | 'a loopback address'
  | 'a private address'
  | 'a link-local address'
  | 'a multicast address'
  | 'a reserved address'
  | 'the address of a cloud metadata service'
  | 'an unknown kind of address'

/** IANA's registries of special addresses. The first that fits counts. */
const special: readonly (readonly [AddressKind, readonly Range[]])[] = [
  ['a loopback address', toRanges('127.0.0.0/8', '::1')],
  ['a private address', toRanges('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fec0::/10')],
  // Between a carrier and its customers; private networks such as Tailscale's use it too.
  ['a private address', toRanges('100.64.0.0/10')],
  ['a link-local address', toRanges('169.254.0.0/16', 'fe80::/10')],
  ['a multicast address', toRanges('224.0.0.0/4', 'ff00::/8')],
  ['a reserved address', toRanges('0.0.0.0/8', '192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4')],
  ['a reserved address', toRanges('192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20')],
  // Of protocols, among them Teredo (2001::/32), benchmarks (2001:2::/48) and both ORCHIDs (2001:10::/28, 2001:20::/28).
  ['a reserved address', toRanges('2001::/23')],
  // Everything that is not global unicast (2000::/3), among it ::/96 and 64:ff9b:1::/48, which hold IPv4 addresses.
  ['a reserved address', toRanges('::/3', '4000::/2', '8000::/1')],
]

/** Prefixes behind which an IPv4 address stands, and a gateway that leads there: translated, NAT64, 6to4. */
const embeddings = toRanges('::ffff:0:0:0/96', '64:ff9b::/96', '2002::/16')

/** They hand the machine's own credentials to whoever asks. */
const metadataServices = toRanges(
  '169.254.169.254', // almost everybody's
  'fe80::a9fe:a9fe', // OpenStack
  '169.254.170.2', // Amazon ECS
  '169.254.170.23', // Amazon EKS
  'fd00:ec2::254', // Amazon
  'fd00:ec2::23', // Amazon EKS
  'fd20:ce::254', // Google
  '168.63.129.16', // Azure, in the middle of public addresses
  '100.100.100.200', // Alibaba
  'fd00:100::100:200', // Alibaba
  '192.0.0.192', // Oracle
  'fd00:c1::a9fe:a9fe', // Oracle
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  'fd00:42::42', // Scaleway
  'fd00:a9fe:a9fe::1', // Akamai
)

const KNOWN_MOST = 10_000

export class AddressPolicy {
  readonly #all: boolean
  readonly #open: readonly Range[]
  readonly #openByThemselves: readonly Range[]
  /** Checks come back to the same addresses again and again, and judging one takes 2 µs. */
  readonly #known = new BoundedMap<string, AddressKind | 'fine'>(KNOWN_MOST)

  constructor(targets: PrivateTargets) {
    this.#all = targets.all
    this.#open = toRanges(...targets.ranges)
    this.#openByThemselves = this.#open.filter((range) => range.prefix === range.bits)
  }

  /** What the address is, where it must not be dialled. */
  refusal(text: string): AddressKind | undefined {
    const known = this.#known.get(text)
    if (known !== undefined) return known === 'fine' ? undefined : known
    const kind = this.#judge(text)
    this.#known.set(text, kind ?? 'fine')
    return kind
  }

  #judge(text: string): AddressKind | undefined {
    const address = parseAddress(text)
    if (address === undefined) return 'an unknown kind of address'
    const inner = findInner(address)
    const holds = (ranges: readonly Range[]) => isIn(ranges, address) || (inner !== undefined && isIn(ranges, inner))

    if (holds(metadataServices))
      return holds(this.#openByThemselves) ? undefined : 'the address of a cloud metadata service'
    if (this.#all || holds(this.#open)) return undefined
    return findKind(inner ?? address)
  }
}

function findKind(address: Address): AddressKind | undefined {
  return special.find(([, ranges]) => isIn(ranges, address))?.[0]
}

function findInner(address: Address): Address | undefined {
  const embedding = embeddings.find((range) => contains(range, address))
  return embedding && innerIPv4(address, embedding.prefix)
}

function isIn(ranges: readonly Range[], address: Address): boolean {
  return ranges.some((range) => contains(range, address))
}

function toRanges(...texts: readonly string[]): Range[] {
  return texts.map((text) => {
    const range = parseRange(text)
    if (range === undefined) throw new Error(`"${text}" is neither an address nor a range`)
    return range
  })
}
