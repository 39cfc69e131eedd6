/** The uptime of a website's monitors during a week. */
import type { TimeWindow } from '../incidents/window.ts'
import { localDayAt } from '../lib/local-day.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import { SECOND_MS } from '../shared/time.ts'
import { hasEnoughUptimeData, type MonitoredTime } from '../shared/uptime.ts'
import type { Database } from '../storage/database.ts'
import type { StatisticsSite } from '../traffic/stats/statistics.ts'
import { getHistory } from '../uptime/store.ts'
import { computeUptime, countIncidents } from '../uptime/uptime.ts'
import { findMonitorsMentioning, type NamedMonitor, readHistoriesOfUser } from './store.ts'

export interface MonitorUptime extends MonitoredTime {
  monitorId: number
  name: string
  uptimePercent: number
  incidentCount: number
  downtimeSeconds: number
  /** The day on which monitoring began, as YYYY-MM-DD, if that was after the start of the week; otherwise null. */
  monitoredSince: string | null
}

/**
 * Reads all monitors of the website, however many it has, to find those with the lowest uptime. Sorted by uptime, lowest first.
 * Those without a day of data come last, and those without checks in that week are omitted.
 */
export async function readUptime(db: Database, site: StatisticsSite, window: TimeWindow): Promise<MonitorUptime[]> {
  const candidates = await findMonitorsMentioning(db, site.teamId, site.domain)
  const monitors = candidates.filter((monitor) => isOnDomain(site.domain, monitor))
  const histories = await readHistoriesOfUser(db, site.teamId, monitors, window.from)
  const period = { from: window.from.getTime(), to: window.to.getTime() }
  return monitors
    .flatMap(({ id, friendlyName }): MonitorUptime[] => {
      const history = getHistory(histories, id)
      const { percent, downMs, monitoredMs, monitoredSince } = computeUptime(history, period)
      if (percent === null) return []
      return [
        {
          monitorId: id,
          name: friendlyName,
          uptimePercent: percent,
          incidentCount: countIncidents(history, period),
          downtimeSeconds: Math.floor(downMs / SECOND_MS),
          monitoredMs,
          monitoredSince: monitoredSince === null ? null : localDayAt(site.timeZone, monitoredSince).day,
        },
      ]
    })
    .sort(
      (a, b) =>
        Number(hasEnoughUptimeData(b)) - Number(hasEnoughUptimeData(a)) ||
        a.uptimePercent - b.uptimePercent ||
        b.downtimeSeconds - a.downtimeSeconds,
    )
}

/** Whether the host is the domain or one of its subdomains. */
export function isOnDomain(domain: string, monitor: Pick<NamedMonitor, 'type' | 'url'>): boolean {
  const host = parseMonitorHost(monitor)
  return host === domain || host?.endsWith(`.${domain}`) === true
}
