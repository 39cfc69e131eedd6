/** Lists of addresses and ranges, one a line, such as `websites/exclusions.ts` reads them. */
import { BlockList } from 'node:net'
import { BoundedMap } from '../../lib/bounded-map.ts'
import { type PlainAddress, plainAddress } from './plain-address.ts'

type Ranges = Record<PlainAddress['family'], BlockList>

/** Reading a list of 100 lines takes about 100 µs; a look into it 0.3 µs, a tenth of what ipaddr.js takes. */
const LISTS_MOST = 1_000
const known = new BoundedMap<string, Ranges>(LISTS_MOST)

export function holdsAddress(list: string | null, address: string): boolean {
  if (list === null) return false
  const plain = plainAddress(address)
  return plain !== undefined && rangesOf(list)[plain.family].check(plain.text, plain.family)
}

function rangesOf(list: string): Ranges {
  const found = known.get(list)
  if (found !== undefined) return found
  const ranges = compile(list)
  known.set(list, ranges)
  return ranges
}

/** A list for each family: in a common one `::/0` would hold every IPv4 address too. */
function compile(list: string): Ranges {
  const ranges: Ranges = { ipv4: new BlockList(), ipv6: new BlockList() }
  for (const line of list.split('\n')) {
    const [text = '', prefix] = line.split('/')
    const plain = plainAddress(text)
    // The list was read before it was kept; what it cannot hold is nobody.
    if (plain === undefined) continue
    const bits = plain.family === 'ipv4' ? 32 : 128
    const length = Number(prefix ?? bits)
    if (Number.isInteger(length) && length >= 0 && length <= bits) {
      ranges[plain.family].addSubnet(plain.text, length, plain.family)
    }
  }
  return ranges
}
