/** Decodes the compact response of the overview. */

import type { Overview as OverviewData, OverviewMonitorColumns } from '../../src/overview/schema.ts'
import type { MonitorStatus, MonitorType } from '../../src/shared/monitors.ts'
import { DAY_MS } from '../../src/shared/time.ts'

export type OverviewWebsite = OverviewData['websites'][number]

/** The sample website has no visits for a few seconds, until they are generated. */
export const isGenerating = ({ is_sample, has_traffic }: Pick<OverviewWebsite, 'is_sample' | 'has_traffic'>) =>
  is_sample && !has_traffic

export interface OverviewMonitor {
  id: number
  friendly_name: string
  url: string
  type: MonitorType
  status: MonitorStatus
  status_changed_at: string
  /** Start of the ongoing incident. null unless the monitor is down. */
  down_since: string | null
  /** null unless an incident is ongoing, and until the overview is fetched after an incident has begun. */
  incident_id: number | null
  /** When the ongoing incident was acknowledged. */
  acknowledged_at: string | null
  interval: number
  last_checked_at: string | null
  last_response_ms: number | null
  last_error: string | null
  tags: readonly string[]
  /** End of the maintenance in progress, or null if there is none. */
  maintenance_until: string | null
  website_id: number | null
  /** Whether its history is generated. Totals leave it out. */
  is_sample: boolean
  uptime_percent: number | null
  /** When monitoring began, if the monitor is younger than `days`; otherwise null. */
  monitored_since: string | null
  /** How long a monitor with `monitored_since` was monitored; otherwise 0. */
  monitored_seconds: number
  /** `parseUptimeDays` parses this text. Only rows on the screen need the result. */
  days: string
}

/** One list for all monitors without tags, so that memoized components see the same value. */
const NO_TAGS: readonly string[] = []

export interface Overview extends Omit<OverviewData, 'monitors'> {
  monitors: readonly OverviewMonitor[]
}

export function decodeOverview(data: OverviewData): Overview {
  const sampleWebsiteId = data.websites.find(({ is_sample }) => is_sample)?.id
  return { ...data, monitors: data.monitors.flatMap((columns) => decodeMonitors(columns, sampleWebsiteId)) }
}

function decodeMonitors(columns: OverviewMonitorColumns, sampleWebsiteId: number | undefined): OverviewMonitor[] {
  return columns.id.map((id, index) => ({
    id,
    friendly_name: columns.friendly_name[index] as string,
    url: columns.url[index] as string,
    type: columns.type[index] as MonitorType,
    status: columns.status[index] as MonitorStatus,
    status_changed_at: formatTime(columns.status_changed_at[index] as number),
    down_since: columns.down_since[id] === undefined ? null : formatTime(columns.down_since[id]),
    incident_id: columns.incident_id[id] ?? null,
    acknowledged_at: columns.acknowledged_at[id] === undefined ? null : formatTime(columns.acknowledged_at[id]),
    interval: columns.interval[index] as number,
    last_checked_at: columns.last_checked_at[index] ? formatTime(columns.last_checked_at[index]) : null,
    last_response_ms: columns.last_response_ms[index] ?? null,
    last_error: columns.last_error[index] ?? null,
    tags: columns.tags[id] ?? NO_TAGS,
    maintenance_until: columns.maintenance_until[id] === undefined ? null : formatTime(columns.maintenance_until[id]),
    website_id: columns.website_id[index] ?? null,
    is_sample: sampleWebsiteId !== undefined && columns.website_id[index] === sampleWebsiteId,
    uptime_percent: columns.uptime_percent[index] ?? null,
    monitored_since: columns.monitored_since[id] === undefined ? null : formatTime(columns.monitored_since[id]),
    monitored_seconds: columns.monitored_seconds[id] ?? 0,
    days: columns.days[index] as string,
  }))
}

const twoDigits = Array.from({ length: 60 }, (_, value) => `${value}`.padStart(2, '0'))
/** The beginning of a timestamp, such as 2026-01-05T, by the number of days since 1970. */
const dayTexts = new Map<number, string>()

/** Returns the same text as Date's `toISOString`, which took most of the time of decoding 10,000 monitors. */
export function formatTime(epochMs: number): string {
  const day = Math.floor(epochMs / DAY_MS)
  let dayText = dayTexts.get(day)
  if (dayText === undefined) {
    dayText = new Date(day * DAY_MS).toISOString().slice(0, 11)
    dayTexts.set(day, dayText)
  }
  const ms = epochMs - day * DAY_MS
  const seconds = Math.floor(ms / 1_000)
  const [hour, minute, second] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return `${dayText}${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[second]}.${`${1_000 + (ms % 1_000)}`.slice(1)}Z`
}
