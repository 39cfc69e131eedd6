/** Turns a snapshot into the JSON of `/status/{slug}.json`. */
import { listDays } from '../../lib/local-day.ts'
import { overallStateTexts } from '../../shared/page-states.ts'
import { computeDayUptime, parseUptimeDays } from '../../shared/uptime-days.ts'
import type { StatusHistoryMonth } from '../load/history.ts'
import { renderMarkdown } from '../render/markdown.ts'
import type {
  SnapshotIncident,
  SnapshotMaintenance,
  SnapshotMonitor,
  SnapshotPost,
  StatusPageSnapshot,
} from '../snapshot.ts'
import type { StatusPageUrls } from '../urls.ts'
import type { PublicHistoryResponse, PublicStatusResponse } from './schema.ts'

type PublicStatus = PublicStatusResponse['data']
type PublicMonitor = PublicStatus['groups'][number]['monitors'][number]

/** The JSON of one month of the history. */
export function toPublicHistory({ month, incidents, maintenances, posts }: StatusHistoryMonth): PublicHistoryResponse {
  return {
    data: {
      month,
      incidents: incidents.map(toPublicIncident),
      maintenances: maintenances.map(toPublicMaintenance),
      posts: posts.map(toPublicPost),
    },
  }
}

export function toPublicJson(snapshot: StatusPageSnapshot, urls: StatusPageUrls): PublicStatusResponse {
  const { page, overall } = snapshot
  const dates = listDays(snapshot.firstDay, snapshot.lastDay)
  return {
    data: {
      page: {
        title: page.title,
        description: page.description,
        url: urls.page,
        history_url: urls.history,
        time_zone: page.timeZone,
      },
      status: overall,
      status_text: overallStateTexts[overall],
      updated_at: formatTime(snapshot.readAt),
      groups: snapshot.groups.map(({ name, monitors }) => ({
        name,
        monitors: monitors.map((monitor) => toPublicMonitor(monitor, page.showResponseTimes, dates)),
      })),
      incidents: snapshot.incidents.map(toPublicIncident),
      maintenances: snapshot.maintenances.map(toPublicMaintenance),
      posts: snapshot.posts.map(toPublicPost),
    },
  }
}

function toPublicMonitor(monitor: SnapshotMonitor, showResponseTimes: boolean, dates: string[]): PublicMonitor {
  const { id, label, state, since, uptime, monitored, days, responseMs } = monitor
  return {
    id,
    label,
    state,
    since: formatTimeOrNull(since),
    uptime: { '24h': uptime.last24Hours, '30d': uptime.last30Days, '90d': uptime.last90Days },
    monitored_since: formatTimeOrNull(monitored?.since ?? null),
    ...(showResponseTimes && { response_ms: responseMs === null ? null : Math.round(responseMs) }),
    days: toPublicDays(days, dates),
  }
}

function toPublicDays(days: string, dates: readonly string[]): PublicMonitor['days'] {
  const { activeRuns, downDays } = parseUptimeDays(days)
  const publicDays: PublicMonitor['days'] = dates.map((date) => ({ date, uptime_percent: null, downtime_seconds: 0 }))
  for (const [first, last] of activeRuns) {
    for (const day of publicDays.slice(first, last + 1)) day.uptime_percent = 100
  }
  for (const downDay of downDays) {
    const day = publicDays[downDay.day]
    if (day === undefined) continue
    day.downtime_seconds = downDay.seconds
    day.uptime_percent = computeDayUptime(downDay)
  }
  return publicDays
}

function toPublicIncident({ monitorId, label, startedAt, resolvedAt }: SnapshotIncident) {
  return {
    monitor_id: monitorId,
    label,
    started_at: formatTime(startedAt),
    resolved_at: formatTimeOrNull(resolvedAt),
    duration_seconds: resolvedAt === null ? null : Math.round((resolvedAt - startedAt) / 1000),
  }
}

function toPublicMaintenance(maintenance: SnapshotMaintenance) {
  const { id, title, note, startsAt, endsAt, isActive, isRecurring, labels } = maintenance
  return {
    id,
    title,
    note,
    starts_at: formatTime(startsAt),
    ends_at: formatTime(endsAt),
    is_active: isActive,
    is_recurring: isRecurring,
    labels,
  }
}

function toPublicPost({ id, title, state, createdAt, resolvedAt, labels, updates }: SnapshotPost) {
  return {
    id,
    title,
    state,
    created_at: formatTime(createdAt),
    resolved_at: formatTimeOrNull(resolvedAt),
    labels,
    updates: updates.map((update) => ({
      id: update.id,
      state: update.state,
      body: update.body,
      body_html: renderMarkdown(update.body),
      created_at: formatTime(update.createdAt),
    })),
  }
}

const formatTime = (at: number) => new Date(at).toISOString()
const formatTimeOrNull = (at: number | null) => (at === null ? null : formatTime(at))
