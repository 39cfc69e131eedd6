/** SQL that reads the incidents of a website. */
import type { TimeWindow } from '../incidents/window.ts'
import type { Diagnosis } from '../shared/impact.ts'
import type { MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/transaction.ts'
import type { TrafficWebsite } from './history/website-store.ts'

export interface WebsiteIncidentRow {
  id: number
  startedAt: Date
  /** null while the incident is ongoing. */
  resolvedAt: Date | null
  diagnosis: Diagnosis | null
  type: MonitorType
  url: string
  websiteId: number | null
}

/**
 * Reads the incidents of monitors whose name or URL contains the domain, if they overlap with the window. Incidents
 * that began during a planned maintenance are left out. The caller must check the host of each URL: it may belong to
 * another website of the user, whose domain is in `subdomains`.
 */
export async function readIncidentsMentioning(
  q: Queries,
  { teamId, domain, unicode }: TrafficWebsite,
  { from, to }: TimeWindow,
): Promise<{ incidents: WebsiteIncidentRow[]; subdomains: string[] }> {
  const [incidents, subdomains] = await q.batch(
    {
      text: `select i.id, i.started_at as "startedAt", i.resolved_at as "resolvedAt", i.diagnosis, m.type, m.url,
                    m.website_id as "websiteId"
               from monitors m
              cross join lateral (
                select id, started_at, resolved_at, diagnosis from incidents
                 where user_id = m.user_id and monitor_id = m.id
                   and (case when resolved_at is null then 'infinity' else resolved_at end) > $4 and started_at < $5
                   and not during_maintenance
                offset 0
              ) i
              where m.user_id = $1 and (strpos(m.search_text, $2) > 0 or strpos(m.search_text, $3) > 0)
              order by i.started_at, i.id`,
      values: [teamId, domain, unicode, from, to],
    },
    {
      text: `select domain from websites where user_id = $1 and right(domain, length($2) + 1) = '.' || $2`,
      values: [teamId, domain],
    },
  )
  return {
    incidents: (incidents?.rows ?? []) as WebsiteIncidentRow[],
    subdomains: (subdomains?.rows ?? []).map(({ domain }) => domain as string),
  }
}
