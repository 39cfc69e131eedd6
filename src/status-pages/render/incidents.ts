/** Outages that the monitors detected: ongoing ones, and the history by day together with resolved posts. */
import { formatDuration } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import type { SnapshotIncident, StatusPageSnapshot } from '../snapshot.ts'
import { statusIcon } from './icons.ts'
import { renderPastPost } from './posts.ts'
import { dayOf, renderDay, renderTime, renderTimeRange } from './times.ts'

export function renderOngoingIncidents({ incidents, readAt, page }: StatusPageSnapshot): string {
  const itemsHtml = incidents
    .filter(({ resolvedAt }) => resolvedAt === null)
    .map(
      ({ label, startedAt }) =>
        `<li>${statusIcon('down')}<span><strong><bdi>${escapeHtml(label)}</bdi></strong><span class="meta">Down for ${formatDuration(readAt - startedAt)}, since ${renderTime(startedAt, page.timeZone)}</span></span></li>`,
    )
    .join('')
  return itemsHtml === '' ? '' : `<ul class="card incidents" role="list">${itemsHtml}</ul>`
}

interface PastEntry {
  startedAt: number
  html: string
}

export function renderHistory({ incidents, posts, page: { timeZone } }: StatusPageSnapshot): string {
  const entries: PastEntry[] = [
    ...incidents.flatMap((incident) => toPastIncident(incident, timeZone)),
    ...posts
      .filter(({ resolvedAt }) => resolvedAt !== null)
      .map((post) => ({
        startedAt: post.createdAt,
        html: `<li>${renderPastPost(post, timeZone, dayOf(post.createdAt, timeZone))}</li>`,
      })),
  ].sort((a, b) => b.startedAt - a.startedAt)
  if (entries.length === 0) return '<p class="card empty">No incidents in the last 30 days.</p>'
  const daysHtml = [...Map.groupBy(entries, ({ startedAt }) => dayOf(startedAt, timeZone))]
    .map(
      ([day, dayEntries]) =>
        `<section class="day"><h3>${renderDay(day)}</h3><ul class="incidents" role="list">${dayEntries.map(({ html }) => html).join('')}</ul></section>`,
    )
    .join('')
  return `<div class="card history">${daysHtml}</div>`
}

function toPastIncident({ label, startedAt, resolvedAt }: SnapshotIncident, zone: string): PastEntry[] {
  if (resolvedAt === null) return []
  const timesHtml = renderTimeRange(startedAt, resolvedAt, zone, dayOf(startedAt, zone))
  const html = `<li>${statusIcon('up')}<span><strong><bdi>${escapeHtml(label)}</bdi></strong><span class="meta">Resolved after ${formatDuration(resolvedAt - startedAt)} · ${timesHtml}</span></span></li>`
  return [{ startedAt, html }]
}
