/**
 * Outages that the monitors detected: ongoing ones, and recently resolved ones together with resolved posts. An outage that a post is about
 * is part of that post.
 */
import { formatDuration } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { renderHistoryDays, toIncidentEntry, toPostEntry } from './history-entries.ts'
import { statusIcon } from './icons.ts'
import { renderTime } from './times.ts'

export function renderOngoingIncidents({ incidents, readAt, page }: StatusPageSnapshot): string {
  const itemsHtml = incidents
    .filter(({ resolvedAt, isInPost }) => resolvedAt === null && !isInPost)
    .map(
      ({ label, startedAt }) =>
        `<li class="tone-bad">${statusIcon('down')}<span><strong><bdi>${escapeHtml(label)}</bdi></strong><span class="meta">Down for ${formatDuration(readAt - startedAt)}, since ${renderTime(startedAt, page.timeZone)}</span></span></li>`,
    )
    .join('')
  return itemsHtml === '' ? '' : `<ul class="card incidents" role="list">${itemsHtml}</ul>`
}

export function renderRecentHistory(
  { incidents, posts, page, readAt }: StatusPageSnapshot,
  historyPath: string,
): string {
  const { timeZone } = page
  const entries = [
    ...incidents
      .filter(({ resolvedAt, isInPost }) => resolvedAt !== null && !isInPost)
      .map((incident) => toIncidentEntry(incident, timeZone)),
    ...posts
      .filter(({ resolvedAt }) => resolvedAt !== null)
      .map((post) => toPostEntry(post, { zone: timeZone, now: readAt })),
  ]
  const hasOpenEntries = [...incidents, ...posts].some(({ resolvedAt }) => resolvedAt === null)
  const historyHtml =
    entries.length === 0
      ? `<p class="card empty">No ${hasOpenEntries ? 'other ' : ''}incidents in the last 30 days.</p>`
      : renderHistoryDays(entries, timeZone)
  return `${historyHtml}<p class="more"><a href="${escapeHtml(historyPath)}">Incident history</a></p>`
}
