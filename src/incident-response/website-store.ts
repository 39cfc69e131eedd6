/** Finds the websites of monitors: by the host of the monitor, or the website that a traffic monitor watches. */
import { findWebsiteIds } from '../impact/history/website-store.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import type { MonitorType } from '../shared/monitors.ts'
import { SHARED_ROWS } from '../storage/statements.ts'
import type { Queries } from '../storage/transaction.ts'
import { listCandidateDomains } from '../traffic/model/candidate-domains.ts'

export interface MonitorTarget {
  type: MonitorType
  url: string
  /** Set only for monitors of type traffic. */
  websiteId: number | null
}

export interface MonitorWebsite {
  id: number
  domain: string
  /** The Unicode form of the domain, or null if it is the same. */
  unicode: string | null
}

/** Returns the website of each monitor in the same order, or undefined if the caller has no website of its host. */
export async function findWebsitesOfMonitors(
  q: Queries,
  monitors: readonly MonitorTarget[],
): Promise<(MonitorWebsite | undefined)[]> {
  const domains = new Set(monitors.flatMap((monitor) => listCandidateDomains(parseMonitorHost(monitor) ?? '')))
  const watchedIds = monitors.flatMap(({ websiteId }) => websiteId ?? [])
  if (domains.size + watchedIds.length === 0) return monitors.map(() => undefined)
  const websites = await q.query<MonitorWebsite & Record<string, unknown>>(
    `select id, domain, unicode
       from websites
      where ${SHARED_ROWS} and (domain = any ($1) or id = any ($2))`,
    [[...domains], watchedIds],
  )
  const websitesById = new Map(websites.map((website) => [website.id, website]))
  const ids = findWebsiteIds(
    monitors.map(({ url }) => url),
    monitors.map(({ type }) => type),
    websites,
  )
  return monitors.map(({ websiteId }, index) => websitesById.get(websiteId ?? ids[index] ?? 0))
}

/**
 * Returns the ids of the website's monitors. The query finds all monitors whose name or URL contains the domain. The host of
 * each URL then shows whether the monitor belongs to this website, or to another one whose domain is a subdomain.
 */
export async function listMonitorIdsOfWebsite(q: Queries, websiteId: number): Promise<number[]> {
  const rows = await q.query<{ id: number; type: MonitorType; url: string; websiteId: number | null }>(
    `select m.id, m.type, m.url, m.website_id as "websiteId"
       from websites w
       join monitors m on m.user_id = w.user_id
        and (m.website_id = w.id or strpos(m.search_text, w.domain) > 0 or strpos(m.search_text, w.unicode) > 0)
      where w.${SHARED_ROWS} and w.id = $1`,
    [websiteId],
  )
  const websites = await findWebsitesOfMonitors(q, rows)
  return rows.filter((_, index) => websites[index]?.id === websiteId).map(({ id }) => id)
}
