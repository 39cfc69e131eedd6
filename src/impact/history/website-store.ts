/** Finds the website of a monitor: the one whose domain is the monitor's host, or its longest parent domain. */
import { parseMonitorHost } from '../../monitors/target.ts'
import type { MonitorType } from '../../shared/monitors.ts'
import type { Queries } from '../../storage/transaction.ts'
import { listCandidateDomains } from '../../traffic/model/candidate-domains.ts'

export interface TrafficWebsite {
  id: number
  teamId: number
  domain: string
  /** The Unicode form of the domain, or null if it is the same. */
  unicode: string | null
  timeZone: string
  quietDays: readonly string[]
  /** ISO 3166-1 code of the country whose public holidays are quiet days. */
  holidays: string | null
}

const websiteColumns = `id, user_id as "teamId", domain, unicode, time_zone as "timeZone", quiet_days::text[] as "quietDays", holidays`

export interface WebsiteMonitor {
  type: MonitorType
  url: string
  /** Set only for monitors of type traffic. */
  websiteId?: number | null
}

/** Returns undefined if the monitor has no host, such as a heartbeat, or if the user has no website of this host. */
export async function findWebsiteOfMonitor(
  q: Queries,
  teamId: number,
  monitor: WebsiteMonitor,
): Promise<TrafficWebsite | undefined> {
  // The host of the monitor and its parent domains. The website with the longest of these domains is the monitor's.
  const candidateDomains = listCandidateDomains(parseMonitorHost(monitor) ?? '')
  if (candidateDomains.length === 0) return undefined
  const [website] = await q.query<TrafficWebsite & Record<string, unknown>>(
    `select ${websiteColumns}
       from websites
      where user_id = $1 and domain = any ($2) and ($3::bigint is null or id = $3)
      order by length(domain) desc
      limit 1`,
    [teamId, candidateDomains, monitor.websiteId ?? null],
  )
  return website
}

export async function findWebsiteById(q: Queries, teamId: number, id: number): Promise<TrafficWebsite | undefined> {
  const [website] = await q.query<TrafficWebsite & Record<string, unknown>>(
    `select ${websiteColumns}
       from websites
      where user_id = $1 and id = $2`,
    [teamId, id],
  )
  return website
}

/** Returns the id of each monitor's website, or null if it has none. */
export function findWebsiteIds(
  urls: readonly string[],
  types: readonly MonitorType[],
  websites: readonly { id: number; domain: string }[],
): (number | null)[] {
  const idsByDomain = new Map(websites.map(({ domain, id }) => [domain, id]))
  if (idsByDomain.size === 0) return urls.map(() => null)
  return urls.map((url, index) => findWebsiteId(parseMonitorHost({ url, type: types[index] ?? 'http' }), idsByDomain))
}

/**
 * Looks up one parent domain after the other, without a list of them, because the overview calls this for every monitor
 * of a user.
 */
function findWebsiteId(host: string | undefined, idsByDomain: Map<string, number>): number | null {
  for (let domain = host ?? ''; domain !== ''; domain = domain.slice(domain.indexOf('.') + 1)) {
    const id = idsByDomain.get(domain)
    if (id !== undefined) return id
    if (!domain.includes('.')) break
  }
  return null
}

/** Websites usually serve the same pages with and without `www.`, so both hosts count as one. */
export function removeWwwLabel(host: string): string {
  return host.startsWith('www.') ? host.slice('www.'.length) : host
}
