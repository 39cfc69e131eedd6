/** Serializes an overview in parts, because the JSON of ten thousand monitors has a megabyte. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { findWebsiteIds } from '../impact/history/website-store.ts'
import type { MonitorStatus } from '../shared/monitors.ts'
import { SECOND_MS } from '../shared/time.ts'
import { getHistory, type Histories } from '../uptime/store.ts'
import { type LocalDays, toUptimeBars, type UptimeBars } from '../uptime/uptime-bars.ts'
import type { Overview, OverviewMonitorColumns, OverviewWebsiteRecord } from './schema.ts'
import type { StoredMonitorColumns } from './store.ts'
import { NO_UPTIME, type OverviewCounts, UptimeTotal } from './summary.ts'

/** Serializing this many monitors takes a few milliseconds. Between parts, other requests get their turn. */
const MONITORS_PER_PART = 500

export interface OverviewData {
  days: LocalDays & { zone: string }
  now: number
  /** Whether `websites` and `columns` hold everything that the user has. */
  isComplete: boolean
  websites: OverviewWebsiteRecord[]
  columns: StoredMonitorColumns
  histories: Histories
  /** Figures of all websites and monitors, even if `isComplete` is false. */
  counts: OverviewCounts
}

/** Generates the response in parts. A short response has only one part. */
export async function* generateOverviewJson(data: OverviewData): AsyncGenerator<string, undefined> {
  const { days, websites, columns, isComplete } = data
  const dayInfo: Overview['days'] = { from: days.from, to: days.to, time_zone: days.zone }
  const websiteIds = findWebsiteIds(columns.url, columns.type, websites)
  const uptimeTotal = new UptimeTotal()
  let text = `{"data":{"now":${data.now},"days":${JSON.stringify(dayInfo)},"is_complete":${isComplete},"websites":${JSON.stringify(websites)},"monitors":[`
  for (let from = 0; from < columns.id.length; from += MONITORS_PER_PART) {
    if (from > 0) {
      yield `${text},`
      text = ''
      await yieldToEventLoop()
    }
    text += JSON.stringify(toColumns(data, websiteIds, uptimeTotal, from))
  }
  const uptime = isComplete ? uptimeTotal.summarize() : NO_UPTIME
  const summary: Overview['summary'] = { ...data.counts, ...uptime }
  yield `${text}],"summary":${JSON.stringify(summary)}}}`
}

function toColumns(
  { websites, columns, histories, days, now }: OverviewData,
  websiteIds: readonly (number | null)[],
  uptimeTotal: UptimeTotal,
  from: number,
): OverviewMonitorColumns {
  const slice = <T>(column: readonly T[]) => column.slice(from, from + MONITORS_PER_PART)
  const sampleWebsiteId = websites.find(({ is_sample }) => is_sample)?.id
  const bars = slice(columns.id).map((id, index) => {
    const monitorBars = toUptimeBars(getHistory(histories, id), days, now)
    const isSample = sampleWebsiteId !== undefined && websiteIds[from + index] === sampleWebsiteId
    if (!isSample) uptimeTotal.add(monitorBars)
    return monitorBars
  })
  return {
    id: slice(columns.id),
    friendly_name: slice(columns.friendly_name),
    url: slice(columns.url),
    type: slice(columns.type),
    status: slice(columns.status),
    status_changed_at: slice(columns.status_changed_at),
    down_since: findDownSince(slice(columns.id), slice(columns.status), histories),
    incident_id: pickEntries(columns.incident_id, slice(columns.id)),
    acknowledged_at: pickEntries(columns.acknowledged_at, slice(columns.id)),
    interval: slice(columns.interval),
    last_checked_at: slice(columns.last_checked_at),
    last_response_ms: slice(columns.last_response_ms),
    last_error: slice(columns.last_error),
    tags: pickEntries(columns.tags, slice(columns.id)),
    maintenance_until: pickEntries(columns.maintenance_until, slice(columns.id), (until) => until > now),
    website_id: slice(websiteIds),
    uptime_percent: bars.map(({ percent }) => percent),
    ...listYoungMonitors(slice(columns.id), bars),
    days: bars.map(({ days }) => days),
  }
}

/** Returns the entries of these monitors. Most monitors have none. */
function pickEntries<T>(
  entries: Readonly<Record<string, T>>,
  ids: readonly number[],
  isWanted: (value: T) => boolean = () => true,
): Record<string, T> {
  const pickedEntries: Record<string, T> = {}
  for (const id of ids) {
    const value = entries[id]
    if (value !== undefined && isWanted(value)) pickedEntries[id] = value
  }
  return pickedEntries
}

/** Most monitors are older than the days of the overview, and have no entries. */
function listYoungMonitors(
  ids: readonly number[],
  bars: readonly UptimeBars[],
): Pick<OverviewMonitorColumns, 'monitored_since' | 'monitored_seconds'> {
  const monitored_since: Record<string, number> = {}
  const monitored_seconds: Record<string, number> = {}
  for (const [index, { monitoredSince, monitoredMs }] of bars.entries()) {
    const id = ids[index]
    if (id === undefined || monitoredSince === null) continue
    monitored_since[id] = monitoredSince
    monitored_seconds[id] = Math.floor(monitoredMs / SECOND_MS)
  }
  return { monitored_since, monitored_seconds }
}

function findDownSince(
  ids: readonly number[],
  statuses: readonly MonitorStatus[],
  histories: Histories,
): Record<string, number> {
  const downIds = ids.filter((_, index) => statuses[index] === 'down')
  return Object.fromEntries(
    downIds.flatMap((id) => {
      const spans = getHistory(histories, id).incidentSpans
      // An open span ends at infinity. In the flat list, its start is the number before its end.
      const start = spans[spans.indexOf(Number.POSITIVE_INFINITY) - 1]
      return start === undefined ? [] : [[id, start]]
    }),
  )
}
