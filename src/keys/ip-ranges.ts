/** Compares the ranges of IP addresses from which keys can be used. */
import ipaddr from 'ipaddr.js'

/** Returns those of the ranges that don't lie within one of the outer ranges. All ranges must have their canonical spelling. */
export function findRangesOutside(ranges: readonly string[], outerRanges: readonly string[]): string[] {
  // Parsing is the expensive part, and there can be 100 ranges on each side.
  const outer = outerRanges.map(parseRange)
  return ranges.filter((range) => {
    const [address, prefixLength] = parseRange(range)
    return !outer.some(
      ([network, outerPrefixLength]) =>
        network.kind() === address.kind() &&
        prefixLength >= outerPrefixLength &&
        address.match(network, outerPrefixLength),
    )
  })
}

function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (range.includes('/')) return ipaddr.parseCIDR(range)
  const address = ipaddr.parse(range)
  return [address, address instanceof ipaddr.IPv4 ? 32 : 128]
}
