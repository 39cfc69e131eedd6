/** SQL that finds the website of a monitor. */
import type { MonitorType } from '../../shared/monitors.ts'
import type { Queries } from '../../storage/client.ts'
import { listMonitorDomains } from './website-of-host.ts'

export interface TrafficWebsite {
  id: number
  userId: number
  domain: string
  /** The Unicode form of the domain, or null if it is the same. */
  unicode: string | null
  timeZone: string
  quietDays: readonly string[]
  /** ISO 3166-1 code of the country whose public holidays are quiet days. */
  holidays: string | null
}

const websiteColumns = `id, user_id as "userId", domain, unicode, time_zone as "timeZone", quiet_days::text[] as "quietDays", holidays`

export interface WebsiteMonitor {
  type: MonitorType
  url: string
  /** Only for type traffic. */
  websiteId?: number | null
}

/** Returns undefined if the monitor has no host, such as a heartbeat, or if the user has no website of this host. */
export async function findWebsiteOfMonitor(
  q: Queries,
  userId: number,
  monitor: WebsiteMonitor,
): Promise<TrafficWebsite | undefined> {
  const domains = listMonitorDomains(monitor)
  if (domains.length === 0) return undefined
  const [website] = await q.query<TrafficWebsite & Record<string, unknown>>(
    `select ${websiteColumns}
       from websites
      where user_id = $1 and domain = any ($2) and ($3::bigint is null or id = $3)
      order by length(domain) desc
      limit 1`,
    [userId, domains, monitor.websiteId ?? null],
  )
  return website
}

export async function findWebsiteById(q: Queries, userId: number, id: number): Promise<TrafficWebsite | undefined> {
  const [website] = await q.query<TrafficWebsite & Record<string, unknown>>(
    `select ${websiteColumns}
       from websites
      where user_id = $1 and id = $2`,
    [userId, id],
  )
  return website
}
