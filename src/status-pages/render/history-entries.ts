/** Incidents, posts and maintenances as entries of a history, grouped by the day on which they began. */
import { formatDuration } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import { postStateTones } from '../../shared/page-states.ts'
import type { SnapshotIncident, SnapshotMaintenance, SnapshotPost } from '../snapshot.ts'
import { statusIcon } from './icons.ts'
import { type PostContext, renderAffected, renderPastPost } from './posts.ts'
import { dayOf, renderDay, renderTime, renderTimeRange } from './times.ts'

export interface HistoryEntry {
  startedAt: number
  /** A list item. */
  html: string
}

export function toIncidentEntry({ label, startedAt, resolvedAt }: SnapshotIncident, zone: string): HistoryEntry {
  const day = dayOf(startedAt, zone)
  const metaHtml =
    resolvedAt === null
      ? `Ongoing since ${renderTime(startedAt, zone, { style: 'clock', day })}`
      : `Resolved after ${formatDuration(resolvedAt - startedAt)} · ${renderTimeRange(startedAt, resolvedAt, zone, day)}`
  const [tone, icon] = resolvedAt === null ? (['bad', 'down'] as const) : (['good', 'up'] as const)
  const html = `<li class="tone-${tone}">${statusIcon(icon)}<span><strong><bdi>${escapeHtml(label)}</bdi></strong><span class="meta">${metaHtml}</span></span></li>`
  return { startedAt, html }
}

/** A post that is about outages begins with the first of them. */
export function toPostEntry(post: SnapshotPost, context: PostContext): HistoryEntry {
  const { state, createdAt, outages = [] } = post
  const startedAt = Math.min(createdAt, ...outages.map((outage) => outage.startedAt))
  const postHtml = renderPastPost(post, context, dayOf(startedAt, context.zone))
  return { startedAt, html: `<li class="tone-${postStateTones[state]}">${postHtml}</li>` }
}

export function toMaintenanceEntry(maintenance: SnapshotMaintenance, zone: string): HistoryEntry {
  const { title, note, startsAt, endsAt, isActive, labels } = maintenance
  const timesHtml = renderTimeRange(startsAt, endsAt, zone, dayOf(startsAt, zone))
  const noteHtml = note === null || note === '' ? '' : `<p class="text note" dir="auto">${escapeHtml(note)}</p>`
  const html = `<li class="tone-info">${statusIcon('maintenance')}<div><strong><bdi>${escapeHtml(title)}</bdi></strong><span class="meta">${isActive ? 'Maintenance in progress' : 'Maintenance completed'} · ${timesHtml}</span>${renderAffected(labels)}${noteHtml}</div></li>`
  return { startedAt: startsAt, html }
}

/** The newest day and the newest entry come first. */
export function renderHistoryDays(entries: readonly HistoryEntry[], zone: string): string {
  const newestFirst = entries.toSorted((a, b) => b.startedAt - a.startedAt)
  const daysHtml = [...Map.groupBy(newestFirst, ({ startedAt }) => dayOf(startedAt, zone))]
    .map(
      ([day, dayEntries]) =>
        `<section class="day"><h3>${renderDay(day)}</h3><ul class="incidents" role="list">${dayEntries.map(({ html }) => html).join('')}</ul></section>`,
    )
    .join('')
  return `<div class="card history">${daysHtml}</div>`
}
