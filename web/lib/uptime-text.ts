/** Describes uptime. A monitor that is younger than the period says since when it is monitored. */
import { SECOND_MS } from '../../src/shared/time.ts'
import { hasEnoughUptimeData } from '../../src/shared/uptime.ts'
import { formatClockTime, formatDate, formatShortDay, formatUptimePercent } from './format.ts'
import { getLocalDay } from './get-local-day.ts'

export interface UptimeFields {
  uptime_percent: number | null
  /** When monitoring began, if that was after the start of the period; otherwise null. */
  monitored_since: string | null
  monitored_seconds: number
}

/** Whether the percentage is shown. In the first day, it would say little and look alarming. */
export const hasUptimePercent = ({ monitored_since, monitored_seconds }: Omit<UptimeFields, 'uptime_percent'>) =>
  hasEnoughUptimeData({ monitoredSince: monitored_since, monitoredMs: monitored_seconds * SECOND_MS })

/** "11:41" today, "Nov 3" in this year, otherwise "Nov 3, 2025". */
export function formatSince(at: string, now = new Date()): string {
  const [day, today] = [getLocalDay(new Date(at)), getLocalDay(now)]
  if (day === today) return formatClockTime(at)
  return day.slice(0, 4) === today.slice(0, 4) ? formatShortDay(day) : formatDate(at)
}

/** "99.95% uptime in the last 90 days", "99.95% uptime since Nov 3" or "Monitored since 11:41". */
export function describeUptime(
  uptime: UptimeFields,
  period = '',
  describeShare = (percent: string) => `${percent} uptime`,
): string {
  const { uptime_percent, monitored_since } = uptime
  if (uptime_percent === null) return `Not monitored ${period}`.trim()
  const share = describeShare(formatUptimePercent(uptime_percent))
  if (monitored_since === null) return `${share} ${period}`.trim()
  return `${hasUptimePercent(uptime) ? share : 'Monitored'} since ${formatSince(monitored_since)}`
}
