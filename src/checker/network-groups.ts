/**
 * Finds targets that are likely to fail together, because they share a domain or a network. Their failures say little
 * about our own network.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { getDomain } from 'tldts'
import { parseHostPort, removeBrackets } from '../lib/network-address.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import type { Target } from './probes/probe.ts'

/** The domain and the network of one target. Targets that share either of them are likely to fail together. */
export interface NetworkGroup {
  domain: string
  /** null if the host name could not be resolved. */
  network: string | null
}

export function toNetworkGroup(target: Target, address: string | null): NetworkGroup {
  const host = findContactedHost(target)
  const isNumeric = isIP(host) !== 0
  const usedAddress = address ?? (isNumeric ? host : null)
  return {
    domain: isNumeric ? toNetworkPrefix(host) : (getDomain(host, { allowPrivateDomains: true }) ?? host),
    network: usedAddress === null ? null : toNetworkPrefix(usedAddress),
  }
}

/** The host that must be reachable for the check. For type dns, that is the server, not the name. */
function findContactedHost(target: Target): string {
  const resolver = target.type === 'dns' ? target.dns.resolver : null
  if (resolver !== null) return parseHostPort(resolver)?.host ?? resolver
  return removeBrackets(parseMonitorHost(target) ?? target.url)
}

/** Returns the /24 prefix of an IPv4 address or the /48 prefix of an IPv6 address. Such a network usually belongs to one data center. */
function toNetworkPrefix(address: string): string {
  if (isIP(address) === 4) return address.split('.', 3).join('.')
  return ipaddr.parse(address).toNormalizedString().split(':', 3).join(':')
}

/** Counts the groups that share neither a domain nor a network with an earlier one. */
export function countUnrelated(groups: Iterable<NetworkGroup>): number {
  const domains = new Set<string>()
  const networks = new Set<string>()
  let count = 0
  for (const { domain, network } of groups) {
    if (!domains.has(domain) && (network === null || !networks.has(network))) count++
    domains.add(domain)
    if (network !== null) networks.add(network)
  }
  return count
}
