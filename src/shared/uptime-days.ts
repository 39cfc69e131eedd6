/** Decodes the days of a monitor's uptime bars, and decides on their colors. `src/uptime/uptime-bars.ts` encodes them. */
import { DAY_SECONDS } from './time.ts'
import { computeUptimePercent } from './uptime.ts'

export interface DownDay {
  /** The index of the day. 0 is the first day. */
  day: number
  seconds: number
  incidents: number
  /** How long the monitor was active on that day. */
  monitoredSeconds: number
}

export interface UptimeDays {
  /** Runs of days on which the monitor was active, each as the index of its first and last day. */
  activeRuns: readonly (readonly [number, number])[]
  /** Days with downtime. */
  downDays: readonly DownDay[]
}

/** Parses "0-35,40-89;41:312:2,89:60:1:36000". The API's documentation describes this format. */
export function parseUptimeDays(days: string): UptimeDays {
  const [runs = '', downs = ''] = days.split(';')
  const downDays = (downs === '' ? [] : downs.split(',')).map((entry) => {
    const [day = 0, seconds = 0, incidents = 1, monitoredSeconds = DAY_SECONDS] = entry.split(':').map(Number)
    return { day, seconds, incidents, monitoredSeconds }
  })
  const activeRuns = runs === '' ? [] : runs.split(',').map((run) => run.split('-').map(Number) as [number, number])
  return { activeRuns, downDays }
}

/**
 * Downtime is rounded to seconds and is at least one second, so it can be longer than the monitored time of a day. The
 * percentage is 0 then.
 */
export const computeDayUptime = ({ seconds, monitoredSeconds }: Pick<DownDay, 'seconds' | 'monitoredSeconds'>) =>
  computeUptimePercent(Math.max(1, monitoredSeconds), seconds) ?? 0

/** The kinds of bars, from good to bad. `idle` is a day on which the monitor wasn't active. */
export const barKinds = ['idle', 'up', 'brief', 'partial', 'down'] as const
export type BarKind = (typeof barKinds)[number]

/** A day with a smaller share of downtime is light amber: 0.1% is about a minute and a half. */
const MIN_PARTIAL_SHARE = 0.001
/** A day with less downtime is amber, not red. */
const MIN_RED_SECONDS = 1_800

export function classifyDay({ activeRuns, downDays }: UptimeDays, day: number): BarKind {
  const downDay = downDays.find((downDay) => downDay.day === day)
  if (downDay !== undefined) {
    if (downDay.seconds >= MIN_RED_SECONDS) return 'down'
    return downDay.seconds < downDay.monitoredSeconds * MIN_PARTIAL_SHARE ? 'brief' : 'partial'
  }
  return activeRuns.some(([first, last]) => first <= day && day <= last) ? 'up' : 'idle'
}
