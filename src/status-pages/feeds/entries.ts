/** The entries of a status page's feeds, with stable ids: posts with their updates, incidents and maintenances. */
import { hash } from 'node:crypto'
import { formatDuration } from '../../lib/format.ts'
import { formatLocalTime } from '../../lib/local-time.ts'
import { escapeHtml } from '../../lib/text.ts'
import { postStateTexts } from '../../shared/page-states.ts'
import { DAY_MS } from '../../shared/time.ts'
import { PLANNED_MAINTENANCE_DAYS } from '../load/limits.ts'
import { renderMarkdown } from '../render/markdown.ts'
import type { SnapshotIncident, SnapshotMaintenance, SnapshotPost, StatusPageSnapshot } from '../snapshot.ts'
import type { StatusPageUrls } from '../urls.ts'

export interface FeedEntry {
  /** Never changes, not even when the page gets another slug or domain. */
  id: string
  url: string
  title: string
  /** Safe HTML. */
  html: string
  category: string
  /** Epoch milliseconds. undefined: not known. */
  publishedAt: number | undefined
  updatedAt: number
}

/** Returns the entries with the latest changes first. */
export function listFeedEntries(snapshot: StatusPageSnapshot, urls: StatusPageUrls): FeedEntry[] {
  const { posts, incidents, maintenances } = snapshot
  const context: EntryContext = { snapshot, urls, timeZone: snapshot.page.timeZone }
  return [
    ...posts.map((post) => toPostEntry(post, context)),
    ...incidents.map((incident) => toIncidentEntry(incident, context)),
    ...maintenances.map((maintenance) => toMaintenanceEntry(maintenance, context)),
  ].sort((a, b) => b.updatedAt - a.updatedAt)
}

/** An Atom feed needs a time even if nothing has happened since the first day that the page shows. */
export function findFeedUpdatedAt(entries: readonly FeedEntry[], { firstDay }: StatusPageSnapshot): number {
  return entries[0]?.updatedAt ?? Date.parse(`${firstDay}T00:00:00Z`)
}

/** The id stays the same when the page gets another slug, domain or server. */
export function createFeedId({ page, access }: StatusPageSnapshot): string {
  return `urn:uuid:${page.feedId ?? deriveUuid(`status page ${access.pageId}`)}`
}

interface EntryContext {
  snapshot: StatusPageSnapshot
  urls: StatusPageUrls
  timeZone: string
}

function toPostEntry(post: SnapshotPost, context: EntryContext): FeedEntry {
  const updates = post.updates.map(
    ({ state, body, createdAt }) =>
      `<p><strong>${postStateTexts[state]}</strong> · ${formatTimeHtml(createdAt, context)}</p>${renderMarkdown(body)}`,
  )
  return {
    id: createEntryId(context, { at: post.createdAt, name: `status-posts/${post.id}` }),
    url: `${context.urls.page}#post-${post.id}`,
    title: post.title,
    html: listLabelsHtml(post.labels) + updates.reverse().join('<hr>'),
    category: post.state,
    publishedAt: post.createdAt,
    updatedAt: post.updatedAt,
  }
}

function toIncidentEntry(incident: SnapshotIncident, context: EntryContext): FeedEntry {
  const { monitorId, label, startedAt, resolvedAt } = incident
  const start = `<p>Down since ${formatTimeHtml(startedAt, context)}.</p>`
  return {
    id: createEntryId(context, { at: startedAt, name: `status-incidents/${monitorId}/${startedAt}` }),
    url: context.urls.page,
    title: resolvedAt === null ? `${label} is down` : `${label} was down for ${formatDuration(resolvedAt - startedAt)}`,
    html: resolvedAt === null ? start : `${start}<p>Up again since ${formatTimeHtml(resolvedAt, context)}.</p>`,
    category: resolvedAt === null ? 'down' : 'resolved',
    publishedAt: startedAt,
    updatedAt: resolvedAt ?? startedAt,
  }
}

/** Each occurrence of a recurring maintenance is an entry of its own. */
function toMaintenanceEntry(maintenance: SnapshotMaintenance, context: EntryContext): FeedEntry {
  const { id, title, note, startsAt, endsAt, isActive, labels, updatedAt } = maintenance
  const times = `<p>${formatTimeHtml(startsAt, context)} to ${formatTimeHtml(endsAt, context)}</p>`
  const noteHtml = note === null ? '' : `<p>${escapeHtml(note).replaceAll('\n', '<br>')}</p>`
  return {
    id: createEntryId(context, {
      at: startsAt,
      listedSince: startsAt - PLANNED_MAINTENANCE_DAYS * DAY_MS,
      name: `status-maintenances/${id}/${startsAt}`,
    }),
    url: context.urls.page,
    title: `Maintenance: ${title}`,
    html: times + listLabelsHtml(labels) + noteHtml,
    category: isActive ? 'maintenance' : 'planned',
    publishedAt: undefined,
    updatedAt: isActive ? Math.max(startsAt, updatedAt) : updatedAt,
  }
}

interface EntryKey {
  at: number
  /** The earliest time at which a feed can have listed the entry. The default is `at`. */
  listedSince?: number
  name: string
}

/**
 * Entries that Belfry 0.2.0 may have listed keep their tag URIs (RFC 4151), so that feed readers don't show them twice.
 * Newer entries have UUIDs, because a tag URI changes when the host of the public URL changes. Feeds list entries for only
 * 30 days, so remove the tag URIs in version 0.4.0.
 */
function createEntryId({ snapshot, urls }: EntryContext, { at, listedSince = at, name }: EntryKey): string {
  const { feedIdSince = Number.POSITIVE_INFINITY } = snapshot.page
  if (listedSince < feedIdSince && urls.authority !== undefined)
    return `tag:${urls.authority},${new Date(at).toISOString().slice(0, 10)}:${name}`
  return `urn:uuid:${deriveUuid(`${createFeedId(snapshot)} ${name}`)}`
}

/** Returns the same UUID for the same text (version 8 of RFC 9562). */
function deriveUuid(text: string): string {
  const digits = hash('sha256', text, 'hex')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20, 32)}`
}

function formatTimeHtml(at: number, { timeZone }: EntryContext): string {
  const date = new Date(at)
  return `<time datetime="${date.toISOString()}">${escapeHtml(formatLocalTime(date, timeZone))}</time>`
}

const listLabelsHtml = (labels: readonly string[]) =>
  labels.length === 0 ? '' : `<p>Affects: ${labels.map(escapeHtml).join(', ')}</p>`
