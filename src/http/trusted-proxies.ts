/**
 * Tells whether a connection comes from a proxy of BELFRY_TRUSTED_PROXIES, for requests that Fastify has not seen yet.
 */
import { BlockList, isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** `ranges` are addresses and CIDR ranges. */
export function createProxyTest(ranges: readonly string[]): (address: string | undefined) => boolean {
  const trusted = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    // Settings may spell an address in ways that BlockList doesn't accept.
    const network = ipaddr.parse(address).toString()
    if (bits === undefined) trusted.addAddress(network, family)
    else trusted.addSubnet(network, Number(bits), family)
  }
  return (address) => address !== undefined && trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
