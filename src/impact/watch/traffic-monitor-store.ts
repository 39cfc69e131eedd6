/** SQL for the check of a traffic monitor. */

import { parseMonitorHost } from '../../monitors/target.ts'
import type { Diagnosis } from '../../shared/impact.ts'
import type { MonitorStatus, MonitorType } from '../../shared/monitors.ts'
import type { Queries } from '../../storage/transaction.ts'
import { removeWwwLabel } from '../history/website-store.ts'

export interface TrafficMonitor {
  teamId: number
  websiteId: number
  domain: string
  /** The Unicode form of the domain, or null if it is the same. */
  unicode: string | null
  status: MonitorStatus
  /** The diagnosis of the ongoing incident; null if there is none. */
  diagnosis: Diagnosis | null
  hasStopAlerts: boolean
  /** Whether there is enough history to watch. */
  hasFit: boolean
  /** Whether the home page contained the tracker while visits arrived; null if that is not known. */
  hasSnippet: boolean | null
  /** null while visits arrive. */
  silence: { lastVisitAt: Date; silentSince: Date } | null
}

export async function readTrafficMonitor(
  q: Queries,
  teamId: number,
  monitorId: number,
): Promise<TrafficMonitor | undefined> {
  const [row] = await q.query<
    Omit<TrafficMonitor, 'silence'> & { last_visit_at: Date | null; silent_since: Date | null }
  >(
    `select m.user_id as "teamId", w.id as "websiteId", w.domain, w.unicode, m.status, i.diagnosis, w.watch_traffic as "hasStopAlerts",
            t.fit is not null as "hasFit", t.has_snippet as "hasSnippet", t.last_visit_at, t.silent_since
       from monitors m
       join websites w on w.user_id = m.user_id and w.id = m.website_id
       left join traffic_watches t on t.user_id = w.user_id and t.website_id = w.id
       left join incidents i on i.user_id = m.user_id and i.monitor_id = m.id and i.resolved_at is null
      where m.user_id = $1 and m.id = $2`,
    [teamId, monitorId],
  )
  if (row === undefined) return undefined
  const { last_visit_at: lastVisitAt, silent_since: silentSince, ...monitor } = row
  return { ...monitor, silence: lastVisitAt && silentSince && { lastVisitAt, silentSince } }
}

export async function saveSnippet(
  q: Queries,
  { teamId, websiteId }: Pick<TrafficMonitor, 'teamId' | 'websiteId'>,
  hasSnippet: boolean,
): Promise<void> {
  await q.query(
    `update traffic_watches
        set has_snippet = $3
      where user_id = $1 and website_id = $2 and has_snippet is distinct from $3`,
    [teamId, websiteId, hasSnippet],
  )
}

/**
 * Returns whether events wait to be counted, or events after `since` could not be counted. A row with a fault contains
 * a single event, so the time of that event is the only one in the row.
 */
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

export interface HostMonitor {
  id: number
  status: MonitorStatus
  type: MonitorType
  url: string
}

/** Returns the active monitors of the website's own host. If one of them is down, its incident says why no visits arrive. */
export async function listHostMonitors(
  q: Queries,
  { teamId, domain, unicode }: Pick<TrafficMonitor, 'teamId' | 'domain' | 'unicode'>,
): Promise<HostMonitor[]> {
  const monitors = await q.query<HostMonitor & Record<string, unknown>>(
    `select id, status, type, url
       from monitors
      where user_id = $1 and status <> 'paused' and type not in ('traffic', 'heartbeat')
        and (strpos(search_text, $2) > 0 or strpos(search_text, $3) > 0)`,
    [teamId, removeWwwLabel(domain), unicode && removeWwwLabel(unicode)],
  )
  return monitors.filter((monitor) => isOnHost(monitor, domain))
}

/** Websites usually serve the same pages with and without `www.`, so both hosts count as one. */
function isOnHost(monitor: { type: MonitorType; url: string }, domain: string): boolean {
  return removeWwwLabel(parseMonitorHost(monitor) ?? '') === removeWwwLabel(domain)
}
