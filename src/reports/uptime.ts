/** The uptime of a website's monitors during a week. */
import { computeUptimePercent } from '../incidents/incidents.ts'
import type { TimeWindow } from '../incidents/window.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import type { Database } from '../storage/database.ts'
import type { StatisticsSite } from '../traffic/stats/statistics.ts'
import { findMonitorsMentioning, type NamedMonitor, readIncidentSummaries } from './store.ts'

export interface MonitorUptime {
  name: string
  uptimePercent: number
  incidentCount: number
  downtimeSeconds: number
}

/**
 * Reads all monitors of the website, however many it has, to find those with the lowest uptime. Sorted by uptime, lowest first.
 * Monitors without checks in that week are omitted.
 */
export async function readUptime(db: Database, site: StatisticsSite, window: TimeWindow): Promise<MonitorUptime[]> {
  const candidates = await findMonitorsMentioning(db, site.userId, site.domain)
  const monitors = candidates.filter((monitor) => isOnDomain(site.domain, monitor))
  const summaries = await readIncidentSummaries(db, site.userId, monitors, window)
  return monitors
    .flatMap(({ friendlyName }, index): MonitorUptime[] => {
      const summary = summaries[index]
      const percent = summary && computeUptimePercent(summary)
      if (summary === undefined || percent === undefined || percent === null) return []
      const { total: incidentCount, downtimeSeconds } = summary
      return [
        { name: friendlyName, uptimePercent: percent, incidentCount, downtimeSeconds: Math.round(downtimeSeconds) },
      ]
    })
    .sort((a, b) => a.uptimePercent - b.uptimePercent || b.downtimeSeconds - a.downtimeSeconds)
}

/** Whether the host is the domain or one of its subdomains. */
export function isOnDomain(domain: string, monitor: Pick<NamedMonitor, 'type' | 'url'>): boolean {
  const host = parseMonitorHost(monitor)
  return host === domain || host?.endsWith(`.${domain}`) === true
}
