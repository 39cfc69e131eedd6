/** `BELFRY_PRIVATE_TARGETS`: the non-public addresses that Belfry may connect to. */
import { parseRange } from './address.ts'

export interface PrivateTargets {
  /** Whether every address is allowed, except those of cloud metadata services. */
  readonly allowsAll: boolean
  /** The addresses and CIDR ranges that are allowed. */
  readonly ranges: readonly string[]
}

export const NO_PRIVATE_TARGETS: PrivateTargets = { allowsAll: false, ranges: [] }

/**
 * Parses a list such as `10.0.0.0/8, fd12::/16, 192.168.1.7`. `allow` means all addresses except those of cloud
 * metadata services.
 */
export function parsePrivateTargets(text: string): PrivateTargets {
  const entries = text.split(',').map((entry) => entry.trim())
  const ranges = entries.filter((entry) => entry !== 'allow')
  const invalidRange = ranges.find((range) => parseRange(range) === undefined)
  if (invalidRange !== undefined) {
    throw new Error(`"${invalidRange}" is not "allow", an IP address, or a CIDR range such as 10.0.0.0/8`)
  }
  return { allowsAll: ranges.length < entries.length, ranges }
}
