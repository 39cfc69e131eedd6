/** The figures of all websites and monitors together. */
import { computeUptimePercent } from '../incidents/incidents.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import type { OverviewSummary, OverviewWebsiteRecord } from './schema.ts'
import type { UptimeBars } from './uptime-bars.ts'

export type OverviewCounts = Omit<OverviewSummary, 'uptime_percent' | 'has_downtime'>

export function countOverview(
  statuses: readonly MonitorStatus[],
  websites: readonly OverviewWebsiteRecord[],
): OverviewCounts {
  const counts = { up: 0, down: 0, pending: 0, paused: 0, visitors_now: 0, visitors_today: 0, visitors_yesterday: 0 }
  for (const status of statuses) counts[status] += 1
  for (const { is_sample, visitors_now, visitors_today, visitors } of websites) {
    if (is_sample) continue
    counts.visitors_now += visitors_now
    counts.visitors_today += visitors_today
    counts.visitors_yesterday += visitors.at(-2) ?? 0
  }
  return counts
}

/** Adds up the uptime of monitors. */
export class UptimeTotal {
  #monitoredMs = 0
  #downMs = 0

  add({ monitoredMs, downMs }: UptimeBars): void {
    this.#monitoredMs += monitoredMs
    this.#downMs += downMs
  }

  summarize(): Pick<OverviewSummary, 'uptime_percent' | 'has_downtime'> {
    const uptime_percent = computeUptimePercent({
      monitoredSeconds: this.#monitoredMs / 1000,
      monitoredDowntimeSeconds: this.#downMs / 1000,
    })
    return { uptime_percent, has_downtime: this.#downMs > 0 }
  }
}
