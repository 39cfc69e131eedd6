/** Which targets fail together for a reason of their own: they have a domain or a network in common. */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { getDomain } from 'tldts'
import { withoutBrackets } from '../lib/web-address.ts'
import type { Target } from './probes/probe.ts'

export interface Kin {
  domain: string
  /** null where nothing was dialled. */
  network: string | null
}

export function kinOf(target: Target, address: string | null): Kin {
  const host = target.type === 'ping' ? target.url : withoutBrackets(URL.parse(target.url)?.hostname ?? target.url)
  const isNumeric = isIP(host) !== 0
  const dialled = address ?? (isNumeric ? host : null)
  return {
    domain: isNumeric ? networkOf(host) : (getDomain(host, { allowPrivateDomains: true }) ?? host),
    network: dialled === null ? null : networkOf(dialled),
  }
}

/** What is likely to be one machine room: /24 of IPv4, /48 of IPv6. */
function networkOf(address: string): string {
  if (isIP(address) === 4) return address.split('.', 3).join('.')
  return ipaddr.parse(address).toNormalizedString().split(':', 3).join(':')
}

/** How many of them have nothing in common with each other. */
export function countUnrelated(all: Iterable<Kin>): number {
  const domains = new Set<string>()
  const networks = new Set<string>()
  let count = 0
  for (const { domain, network } of all) {
    if (!domains.has(domain) && (network === null || !networks.has(network))) count++
    domains.add(domain)
    if (network !== null) networks.add(network)
  }
  return count
}
