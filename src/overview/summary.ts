/** The figures of all websites and monitors together. */
import type { MonitorStatus } from '../shared/monitors.ts'
import { SECOND_MS } from '../shared/time.ts'
import { computeUptimePercent } from '../shared/uptime.ts'
import type { Uptime } from '../uptime/uptime.ts'
import type { OverviewSummary, OverviewWebsiteRecord } from './schema.ts'
import type { ListState } from './store.ts'

type UptimeSummary = Pick<OverviewSummary, 'uptime_percent' | 'has_downtime' | 'monitored_since' | 'monitored_seconds'>
export type StatusCounts = Record<MonitorStatus, number>
export type VisitorCounts = Pick<OverviewSummary, 'visitors_now' | 'visitors_today' | 'visitors_yesterday'>
export type OverviewCounts = StatusCounts & VisitorCounts

export function countStatuses(statuses: readonly MonitorStatus[], sampleMonitorCount: number): StatusCounts {
  const counts = { up: 0, down: 0, pending: 0, paused: 0 }
  for (const status of statuses) counts[status] += 1
  // A sample monitor is always paused, because it checks nothing.
  counts.paused -= sampleMonitorCount
  return counts
}

/** Returns the same as `countStatuses` without reading the monitors. */
export function computeStatusCounts(state: ListState): StatusCounts {
  const { monitorCount, pausedCount, pendingCount, sampleCount, wentDownAt } = state
  const down = wentDownAt.size
  const up = monitorCount - down - pausedCount - pendingCount
  return { up, down, pending: pendingCount, paused: pausedCount - sampleCount }
}

export function countVisitors(websites: readonly OverviewWebsiteRecord[]): VisitorCounts {
  const counts = { visitors_now: 0, visitors_today: 0, visitors_yesterday: 0 }
  for (const { is_sample, visitors_now, visitors_today, visitors } of websites) {
    if (is_sample) continue
    counts.visitors_now += visitors_now
    counts.visitors_today += visitors_today
    counts.visitors_yesterday += visitors.at(-2) ?? 0
  }
  return counts
}

export const NO_UPTIME: UptimeSummary = {
  uptime_percent: null,
  has_downtime: false,
  monitored_since: null,
  monitored_seconds: 0,
}

/** Adds up the uptime of monitors. */
export class UptimeTotal {
  #monitoredMs = 0
  #downMs = 0
  /** The monitor with the most data decides whether there is enough data for a percentage. */
  #longestMonitoredMs = 0
  #monitoredSince: number | null = Number.POSITIVE_INFINITY

  add({ monitoredMs, downMs, monitoredSince }: Uptime): void {
    if (monitoredMs === 0) return
    this.#monitoredMs += monitoredMs
    this.#downMs += downMs
    this.#longestMonitoredMs = Math.max(this.#longestMonitoredMs, monitoredMs)
    // null is the earliest: that monitor is older than the period.
    if (monitoredSince === null || this.#monitoredSince === null) this.#monitoredSince = null
    else this.#monitoredSince = Math.min(this.#monitoredSince, monitoredSince)
  }

  summarize(): UptimeSummary {
    if (this.#monitoredMs === 0) return NO_UPTIME
    return {
      uptime_percent: computeUptimePercent(this.#monitoredMs, this.#downMs),
      has_downtime: this.#downMs > 0,
      monitored_since: this.#monitoredSince,
      monitored_seconds: Math.floor(this.#longestMonitoredMs / SECOND_MS),
    }
  }
}
