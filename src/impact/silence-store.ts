/** SQL for the check of a traffic monitor. */
import type { Diagnosis } from '../shared/impact.ts'
import type { MonitorStatus, MonitorType } from '../shared/monitors.ts'
import type { Queries } from '../storage/client.ts'
import { findMonitorHost, removeWwwLabel } from './website-of-host.ts'

export interface SilentWebsite {
  userId: number
  websiteId: number
  domain: string
  lastVisitAt: Date
}

export interface TrafficMonitor {
  status: MonitorStatus
  /** The diagnosis of the open incident; null if there is none. */
  diagnosis: Diagnosis | null
  isSilenceWatched: boolean
  /** Whether there is enough history to watch. */
  hasFit: boolean
  /** null while visits arrive. */
  silence: SilentWebsite | null
}

export async function readTrafficMonitor(
  q: Queries,
  userId: number,
  monitorId: number,
): Promise<TrafficMonitor | undefined> {
  const [row] = await q.query<{
    status: MonitorStatus
    diagnosis: Diagnosis | null
    watch_traffic: boolean
    has_fit: boolean
    website_id: number
    domain: string
    last_visit_at: Date | null
  }>(
    `select m.status, i.diagnosis, w.watch_traffic, t.fit is not null as has_fit, w.id as website_id, w.domain,
            case when t.silent_since is not null then t.last_visit_at end as last_visit_at
       from monitors m
       join websites w on w.user_id = m.user_id and w.id = m.website_id
       left join traffic_watches t on t.user_id = w.user_id and t.website_id = w.id
       left join incidents i on i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
      where m.user_id = $1 and m.id = $2`,
    [userId, monitorId],
  )
  if (row === undefined) return undefined
  const { status, diagnosis, watch_traffic, has_fit, website_id, domain, last_visit_at } = row
  const silence = last_visit_at && { userId, websiteId: website_id, domain, lastVisitAt: last_visit_at }
  return { status, diagnosis, isSilenceWatched: watch_traffic, hasFit: has_fit, silence }
}

/** Returns the start of a visit that began after `since`. */
export async function findVisitAfter(q: Queries, websiteId: number, since: Date): Promise<Date | undefined> {
  const [row] = await q.query<{ started_at: Date }>(
    `select started_at
       from visits
      where website_id = $1 and started_at > $2 and day >= ($2 at time zone 'UTC')::date - 1
      order by started_at
      limit 1`,
    [websiteId, since],
  )
  return row?.started_at
}

/** Whether events after `since` are not counted yet, or could not be. The events of a batch that failed are single ones. */
export async function hasUncountedEvents(q: Queries, websiteId: number, since: Date): Promise<boolean> {
  const [row] = await q.query<{ has_events: boolean }>(
    `select exists (
              select from event_inbox
               where $1 = any (websites)
                 and (fault is null or substring(events from '"at":(\\d{1,15})')::bigint > $2)
            ) as has_events`,
    [websiteId, since.getTime()],
  )
  return row?.has_events === true
}

/** Whether a monitor of the website's own host is down. Its incident then says why no visits arrive. */
export async function hasOpenHostIncident(
  q: Queries,
  { userId, domain }: Pick<SilentWebsite, 'userId' | 'domain'>,
): Promise<boolean> {
  const rows = await q.query<{ type: MonitorType; url: string }>(
    `select m.type, m.url
       from incidents i
       join monitors m on m.user_id = i.user_id and m.id = i.monitor_id
      where i.user_id = $1 and i.resolved_at is null and m.type not in ('traffic', 'heartbeat')`,
    [userId],
  )
  return rows.some((monitor) => isOnHost(monitor, domain))
}

/** Visitors get the same pages with and without `www.`. */
export function isOnHost(monitor: { type: MonitorType; url: string }, domain: string): boolean {
  return removeWwwLabel(findMonitorHost(monitor) ?? '') === removeWwwLabel(domain)
}
