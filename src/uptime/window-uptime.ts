/** The uptime of a time window, as the API returns it with incidents and check results. */
import { SECOND_MS } from '../shared/time.ts'
import { computeUptime, type MonitorHistory, sumIncidents } from './uptime.ts'

interface WindowUptime {
  /** All incidents count, because these responses also list incidents of times that don't count towards uptime. */
  downtime_seconds: number
  uptime_percent: number | null
}

export function summarizeWindow(history: MonitorHistory, window: { from: Date; to: Date }): WindowUptime {
  const period = { from: window.from.getTime(), to: window.to.getTime() }
  return {
    downtime_seconds: Math.floor(sumIncidents(history, period) / SECOND_MS),
    uptime_percent: computeUptime(history, period).percent,
  }
}
