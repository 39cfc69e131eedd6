/** The colour and the tooltip of one uptime bar. */
import { UPTIME_DAYS } from '../../src/shared/monitors.ts'
import { DAY_MS } from '../../src/shared/time.ts'
import type { UptimeDays } from '../../src/shared/uptime-days.ts'
import { formatDay, formatDurationSeconds, formatUptimePercent, pluralize } from '../lib/format.ts'

/** From good to bad. `idle` is a day on which the monitor wasn't active. */
export const barKinds = ['idle', 'up', 'brief', 'partial', 'down'] as const
type BarKind = (typeof barKinds)[number]

/** A day with a smaller share of downtime is light amber: 0.1% is about a minute and a half. */
const MIN_PARTIAL_SHARE = 0.001
/** A day with less downtime is amber, not red. */
const MIN_RED_SECONDS = 1_800

export function classifyDay({ activeRuns, downDays }: UptimeDays, day: number): BarKind {
  const downDay = downDays.get(day)
  if (downDay !== undefined) {
    if (downDay.seconds >= MIN_RED_SECONDS) return 'down'
    return downDay.seconds < downDay.watchedSeconds * MIN_PARTIAL_SHARE ? 'brief' : 'partial'
  }
  return activeRuns.some(([first, last]) => first <= day && day <= last) ? 'up' : 'idle'
}

interface DayDetails {
  kind: BarKind
  /** "Nov 3, 2026" */
  title: string
  uptime: string
  /** "2 incidents, down for 5m 12s" */
  note: string
}

/** `firstDay` is the day with the index 0, in the form 2026-08-18. */
export function describeDay(uptimeDays: UptimeDays, firstDay: string, day: number): DayDetails {
  const kind = classifyDay(uptimeDays, day)
  const date = formatDay(getDayAt(firstDay, day))
  const title = day === UPTIME_DAYS - 1 ? `${date}, today` : date
  const downDay = uptimeDays.downDays.get(day)
  if (downDay === undefined) {
    return kind === 'idle'
      ? { kind, title, uptime: '–', note: 'Not monitored' }
      : { kind, title, uptime: formatUptimePercent(100), note: 'No downtime' }
  }
  const { seconds, incidents, watchedSeconds } = downDay
  return {
    kind,
    title,
    uptime: formatUptimePercent(100 * (1 - Math.min(1, seconds / watchedSeconds)), true),
    note: `${pluralize(incidents, 'incident')}, down for ${formatDurationSeconds(seconds)}`,
  }
}

export function getDayAt(firstDay: string, index: number): string {
  return new Date(Date.parse(`${firstDay}T00:00Z`) + index * DAY_MS).toISOString().slice(0, 10)
}
