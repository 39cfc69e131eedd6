/** Finds the website of a host: the one whose domain is the host itself, or its longest parent domain. */
import { parseMonitorHost } from '../../monitors/target.ts'
import type { MonitorType } from '../../shared/monitors.ts'
import { listCandidateDomains } from '../../traffic/model/candidate-domains.ts'

interface MonitorTarget {
  type: MonitorType
  url: string
}

/** Matches nearly all URLs, in a tenth of the time that the URL parser takes. The URL parser handles all others, such as international names. */
const PLAIN_URL = /^(?:https?:\/\/)?([A-Za-z\d.-]+)(?::\d+)?(?:[/?#]|$)/

/** A heartbeat has no host. */
export function findMonitorHost(monitor: MonitorTarget): string | undefined {
  const host = PLAIN_URL.exec(monitor.url)?.[1]?.toLowerCase() ?? parseMonitorHost(monitor)
  return host?.endsWith('.') ? host.slice(0, -1) : host
}

/** The host of a monitor and its parent domains. The website with the longest of these domains is the monitor's website. */
export function listMonitorDomains(monitor: MonitorTarget): string[] {
  return listCandidateDomains(findMonitorHost(monitor) ?? '')
}

/** Returns the id of each monitor's website, or null if it has none. */
export function findWebsiteIds(
  urls: readonly string[],
  types: readonly MonitorType[],
  websites: readonly { id: number; domain: string }[],
): (number | null)[] {
  const idsByDomain = new Map(websites.map(({ domain, id }) => [domain, id]))
  if (idsByDomain.size === 0) return urls.map(() => null)
  return urls.map((url, index) => findWebsiteId(findMonitorHost({ url, type: types[index] ?? 'http' }), idsByDomain))
}

/** Creates no list of domains, because the overview calls this for every monitor of a user. */
function findWebsiteId(host: string | undefined, idsByDomain: Map<string, number>): number | null {
  for (let domain = host ?? ''; domain !== ''; domain = domain.slice(domain.indexOf('.') + 1)) {
    const id = idsByDomain.get(domain)
    if (id !== undefined) return id
    if (!domain.includes('.')) break
  }
  return null
}

/** Without `www.`: visitors get the same pages with and without it. */
export function removeWwwLabel(host: string): string {
  return host.startsWith('www.') ? host.slice('www.'.length) : host
}
