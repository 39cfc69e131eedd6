/** The tooltip of one uptime bar. */
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import { type BarKind, classifyDay, computeDayUptime, type UptimeDays } from '../../src/shared/uptime-days.ts'
import { formatDay, formatDurationSeconds, formatUptimePercent, pluralize } from '../lib/format.ts'

interface DayDetails {
  kind: BarKind
  /** "Nov 3, 2026" */
  title: string
  uptime: string
  /** "2 incidents, down for 5 min 12 s" */
  note: string
}

/** `firstDay` is the day with the index 0, in the form 2026-08-18. */
export function describeDay(uptimeDays: UptimeDays, firstDay: string, day: number): DayDetails {
  const kind = classifyDay(uptimeDays, day)
  const date = formatDay(getDayAt(firstDay, day))
  const title = day === UPTIME_DAYS - 1 ? `${date}, today` : date
  const downDay = uptimeDays.downDays.find((downDay) => downDay.day === day)
  if (downDay === undefined) {
    return kind === 'idle'
      ? { kind, title, uptime: '–', note: 'Not monitored' }
      : { kind, title, uptime: formatUptimePercent(100), note: 'No downtime' }
  }
  const { seconds, incidents } = downDay
  return {
    kind,
    title,
    uptime: formatUptimePercent(computeDayUptime(downDay)),
    note: `${pluralize(incidents, 'incident')}, down for ${formatDurationSeconds(seconds)}`,
  }
}

export function getDayAt(firstDay: string, index: number): string {
  return new Date(Date.parse(`${firstDay}T00:00Z`) + index * DAY_MS).toISOString().slice(0, 10)
}
