/** Decodes the days of a monitor's uptime bars. `src/overview/uptime-bars.ts` encodes them. */
import { DAY_SECONDS } from './time.ts'

export interface DownDay {
  seconds: number
  incidents: number
  /** How long the monitor was active on that day. */
  watchedSeconds: number
}

export interface UptimeDays {
  /** Runs of days on which the monitor was active, each as the index of its first and last day. */
  activeRuns: readonly (readonly [number, number])[]
  /** Days with downtime, by index. */
  downDays: ReadonlyMap<number, DownDay>
}

/** Parses "0-35,40-89;41:312:2,89:60:1:36000". The API's documentation describes it. */
export function parseUptimeDays(days: string): UptimeDays {
  const [runs = '', downs = ''] = days.split(';')
  const downDays = new Map<number, DownDay>()
  for (const entry of downs.split(',')) {
    if (entry === '') continue
    const [day = 0, seconds = 0, incidents = 1, watchedSeconds = DAY_SECONDS] = entry.split(':').map(Number)
    downDays.set(day, { seconds, incidents, watchedSeconds })
  }
  const activeRuns = runs === '' ? [] : runs.split(',').map((run) => run.split('-').map(Number) as [number, number])
  return { activeRuns, downDays }
}
