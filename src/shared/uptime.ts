/** The one rule for computing an uptime percentage, and for deciding whether there is enough data to show it. */
import { DAY_MS } from './time.ts'

/** The highest percentage if there was any downtime, however short. */
const MAX_PERCENT_WITH_DOWNTIME = 99.999

/**
 * Returns a percentage with three decimals, or null if the monitor was not monitored. It is 100 only if there was no
 * downtime. Both arguments have the same unit.
 */
export function computeUptimePercent(monitoredTime: number, downtime: number): number | null {
  if (monitoredTime <= 0) return null
  if (downtime <= 0) return 100
  const percent = Math.round((1 - downtime / monitoredTime) * 100_000) / 1_000
  return Math.max(0, Math.min(percent, MAX_PERCENT_WITH_DOWNTIME))
}

export interface MonitoredTime {
  /** When monitoring began, if that was after the start of the period; otherwise null. */
  monitoredSince: number | string | null
  /** How long the monitor was monitored in the period. */
  monitoredMs: number
}

/**
 * A monitor that is younger than a day has no percentage: ten minutes of downtime in its first hour would look alarming,
 * and say little about the monitor.
 */
export const hasEnoughUptimeData = ({ monitoredSince, monitoredMs }: MonitoredTime) =>
  monitoredSince === null || monitoredMs >= DAY_MS
