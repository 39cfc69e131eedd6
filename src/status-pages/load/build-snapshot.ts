/** Builds the snapshot of a page from what the database contains. */
import { RESPONSE_TIME_HOURS } from '../../overview/schema.ts'
import { computeOverallState } from '../../shared/page-states.ts'
import { isPostAboutOutage } from '../../shared/post-outages.ts'
import { type PublicMonitorState, STATUS_PAGE_DAYS } from '../../shared/status-pages.ts'
import { DAY_MS } from '../../shared/time.ts'
import { getHistory } from '../../uptime/store.ts'
import { computeUptime } from '../../uptime/uptime.ts'
import { type LocalDays, listLastDays, toUptimeBars } from '../../uptime/uptime-bars.ts'
import {
  SNAPSHOT_FORMAT,
  type SnapshotAccess,
  type SnapshotIncident,
  type SnapshotMaintenance,
  type SnapshotMonitor,
  type SnapshotPage,
  type SnapshotPost,
  type StatusPageSnapshot,
} from '../snapshot.ts'
import { MAX_SHOWN_MAINTENANCES } from './limits.ts'
import type { MonitorResponses, PageGroup } from './page-store.ts'
import type { MonitorState, PageContent, ShownWindow } from './store.ts'

export interface SnapshotSource {
  access: SnapshotAccess
  page: SnapshotPage
  groups: PageGroup[]
  content: PageContent
  responses: ReadonlyMap<number, MonitorResponses>
}

/** Values that are the same for all monitors of a page. */
interface MonitorContext extends SnapshotSource {
  now: number
  days: LocalDays
  statesById: ReadonlyMap<number, MonitorState>
  activeWindows: readonly ShownWindow[]
}

export function buildSnapshot(source: SnapshotSource, readAt: Date): StatusPageSnapshot {
  const { access, page, content } = source
  const now = readAt.getTime()
  const days = listLastDays(STATUS_PAGE_DAYS, page.timeZone, now)
  const context: MonitorContext = {
    ...source,
    now,
    days,
    statesById: new Map(content.states.map((state) => [state.id, state])),
    activeWindows: content.windows.filter(({ starts_at }) => starts_at.getTime() <= now),
  }
  const groups = source.groups.map(({ name, monitors }) => ({
    name,
    // A monitor may be deleted while the page is read.
    monitors: monitors.filter(({ id }) => context.statesById.has(id)).map((monitor) => toMonitor(monitor, context)),
  }))
  const monitors = groups.flatMap((group) => group.monitors)
  const { incidents, posts } = joinIncidentsAndPosts(content, monitors)
  return {
    format: SNAPSHOT_FORMAT,
    readAt: now,
    access,
    page,
    overall: computeOverallState(
      monitors.map(({ state }) => state),
      { hasOpenPost: posts.some(({ resolvedAt }) => resolvedAt === null) },
    ),
    firstDay: days.from,
    lastDay: days.to,
    groups,
    incidents,
    maintenances: toMaintenances(content, monitors, now).slice(0, MAX_SHOWN_MAINTENANCES),
    posts,
  }
}

function toMonitor({ id, label }: PageGroup['monitors'][number], context: MonitorContext): SnapshotMonitor {
  const { content, days, now, page, responses } = context
  const history = getHistory(content.histories, id)
  const computePercent = (dayCount: number) =>
    computeUptime(history, { from: now - dayCount * DAY_MS, to: now }).percent
  const { monitoredSince, monitoredMs, ...bars } = toUptimeBars(history, days, now)
  const { hours, averages, averageMs } = responses.get(id) ?? { hours: [], averages: [], averageMs: null }
  const responseTimes: (number | null)[] = new Array(RESPONSE_TIME_HOURS).fill(null)
  for (const [index, hour] of hours.entries()) responseTimes[hour] = averages[index] ?? null
  return {
    id,
    label,
    ...findState(context.statesById.get(id) as MonitorState, context.activeWindows),
    uptime: {
      last24Hours: computePercent(1),
      last30Days: computePercent(30),
      last90Days: bars.percent,
    },
    ...(monitoredSince !== null && { monitored: { since: monitoredSince, ms: monitoredMs } }),
    days: bars.days,
    responseMs: averageMs,
    responseTimes: page.showResponseTimes ? responseTimes : null,
  }
}

/** Finds the state of a monitor, and when it began. */
function findState(
  { id, status, status_changed_at, down_since }: MonitorState,
  activeWindows: readonly ShownWindow[],
): { state: PublicMonitorState; since: number | null } {
  const windows = activeWindows.filter(({ monitor_ids }) => monitor_ids.includes(id))
  if (windows.length > 0) {
    return { state: 'maintenance', since: Math.min(...windows.map(({ starts_at }) => starts_at.getTime())) }
  }
  if (status === 'pending') return { state: status, since: null }
  return { state: status, since: (down_since ?? status_changed_at).getTime() }
}

/** Joins posts with the incidents that they are about, so that visitors see each incident once. Returns both with the newest first. */
export function joinIncidentsAndPosts(
  content: Pick<PageContent, 'incidents' | 'posts' | 'updates'>,
  monitors: readonly SnapshotMonitor[],
): { incidents: SnapshotIncident[]; posts: SnapshotPost[] } {
  const incidents = toIncidents(content, monitors)
  const monitorIdsByPost = new Map(content.posts.map(({ id, monitor_ids }) => [id, monitor_ids]))
  const incidentsInPosts = new Set<SnapshotIncident>()
  const posts = toPosts(content, monitors).map((post) => {
    const period = { ...post, monitorIds: monitorIdsByPost.get(post.id) ?? [] }
    const ownIncidents = incidents.filter((incident) => isPostAboutOutage(period, incident))
    for (const incident of ownIncidents) incidentsInPosts.add(incident)
    return { ...post, outages: ownIncidents.map(({ startedAt, resolvedAt }) => ({ startedAt, resolvedAt })) }
  })
  return {
    incidents: incidents.map((incident) =>
      incidentsInPosts.has(incident) ? { ...incident, isInPost: true as const } : incident,
    ),
    posts,
  }
}

/** Leaves out the ongoing incident of a monitor in maintenance, because it is part of the planned work. */
function toIncidents(
  { incidents }: Pick<PageContent, 'incidents'>,
  monitors: readonly SnapshotMonitor[],
): SnapshotIncident[] {
  const monitorsById = new Map(monitors.map((monitor) => [monitor.id, monitor]))
  return incidents
    .flatMap(({ monitor_id, started_at, resolved_at }) => {
      const monitor = monitorsById.get(monitor_id)
      if (monitor === undefined || (resolved_at === null && monitor.state === 'maintenance')) return []
      const resolvedAt = resolved_at?.getTime() ?? null
      return [{ monitorId: monitor_id, label: monitor.label, startedAt: started_at.getTime(), resolvedAt }]
    })
    .sort((a, b) => b.startedAt - a.startedAt || b.monitorId - a.monitorId)
}

export function toMaintenances(
  { windows }: Pick<PageContent, 'windows'>,
  monitors: readonly SnapshotMonitor[],
  now: number,
): SnapshotMaintenance[] {
  return windows
    .map(({ id, title, note, starts_at, ends_at, is_recurring, updated_at, monitor_ids }) => ({
      id,
      title,
      note,
      startsAt: starts_at.getTime(),
      endsAt: ends_at.getTime(),
      isActive: starts_at.getTime() <= now && ends_at.getTime() > now,
      isRecurring: is_recurring,
      updatedAt: updated_at.getTime(),
      labels: listLabels(monitors, monitor_ids),
    }))
    .filter(({ labels }) => labels.length > 0)
}

function toPosts(
  { posts, updates }: Pick<PageContent, 'posts' | 'updates'>,
  monitors: readonly SnapshotMonitor[],
): SnapshotPost[] {
  const updatesByPost = Map.groupBy(updates, ({ post_id }) => post_id)
  return posts
    .map(({ id, title, state, created_at, updated_at, resolved_at, monitor_ids }) => ({
      id,
      title,
      state,
      createdAt: created_at.getTime(),
      updatedAt: updated_at.getTime(),
      resolvedAt: resolved_at?.getTime() ?? null,
      labels: listLabels(monitors, monitor_ids),
      updates: (updatesByPost.get(id) ?? []).map((update) => ({
        id: update.id,
        state: update.state,
        body: update.body,
        createdAt: update.created_at.getTime(),
      })),
    }))
    .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
}

/** Returns the labels of those monitors that are on the page, in the order of the page. */
function listLabels(monitors: readonly SnapshotMonitor[], ids: readonly number[]): string[] {
  const wantedIds = new Set(ids)
  return monitors.filter(({ id }) => wantedIds.has(id)).map(({ label }) => label)
}
