/** `BELFRY_PRIVATE_TARGETS`: which addresses that are not public may be dialled all the same. */
import { parseRange } from './address.ts'

export interface PrivateTargets {
  /** Everything but the addresses of metadata services. */
  readonly all: boolean
  /** Addresses and CIDRs. */
  readonly ranges: readonly string[]
}

export const none: PrivateTargets = { all: false, ranges: [] }

/** A list such as `10.0.0.0/8, fd12::/16, 192.168.1.7`, where `allow` stands for all of them. */
export function parsePrivateTargets(text: string): PrivateTargets {
  const entries = text.split(',').map((entry) => entry.trim())
  const ranges = entries.filter((entry) => entry !== 'allow')
  const wrong = ranges.find((range) => parseRange(range) === undefined)
  if (wrong !== undefined) {
    throw new Error(`"${wrong}" is neither "allow" nor an IPv4 or IPv6 address or a range such as 10.0.0.0/8`)
  }
  return { all: ranges.length < entries.length, ranges }
}
