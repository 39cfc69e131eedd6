/** How the monitors on a website's host did in a week. */
import { uptimeOf } from '../../incidents/incidents.ts'
import type { Window } from '../../incidents/window.ts'
import { hostOf } from '../../monitors/host.ts'
import type { Database } from '../../storage/database.ts'
import type { Site } from '../stats/statistics.ts'
import { findMonitors, type NamedMonitor, readSummaries } from './store.ts'

/** Nobody reads more in a letter. */
const MONITORS_MOST = 50

export interface MonitorWeek {
  name: string
  uptimePercent: number
  incidents: number
  downtimeSeconds: number
}

/** The worst first. Those that were not watched have nothing to tell. */
export async function readUptime(db: Database, site: Site, window: Window): Promise<MonitorWeek[]> {
  const named = await findMonitors(db, site.userId, site.domain)
  const monitors = named.filter((monitor) => isOn(site.domain, monitor)).slice(0, MONITORS_MOST)
  const summaries = await readSummaries(db, site.userId, monitors, window)
  return monitors
    .flatMap(({ friendlyName }, index): MonitorWeek[] => {
      const summary = summaries[index]
      const uptimePercent = summary && uptimeOf(summary)
      if (summary === undefined || uptimePercent === undefined || uptimePercent === null) return []
      const { total: incidents, downtimeSeconds } = summary
      return [{ name: friendlyName, uptimePercent, incidents, downtimeSeconds: Math.round(downtimeSeconds) }]
    })
    .sort((a, b) => a.uptimePercent - b.uptimePercent || b.downtimeSeconds - a.downtimeSeconds)
}

/** On the host itself or one below it. */
export function isOn(domain: string, monitor: Pick<NamedMonitor, 'type' | 'url'>): boolean {
  const host = hostOf(monitor)
  return host === domain || host?.endsWith(`.${domain}`) === true
}
