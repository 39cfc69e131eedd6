/** The owner's posts about outages, with their newest updates. */
import { formatDuration } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import { postStateTexts, postStateTones } from '../../shared/page-states.ts'
import type { SnapshotPost, SnapshotPostUpdate } from '../snapshot.ts'
import { postStateIcons, statusIcon } from './icons.ts'
import { renderMarkdown } from './markdown.ts'
import { renderOutages, summarizeOutages } from './outages.ts'
import { renderTime, renderTimeRange } from './times.ts'

/** The page shows only the newest updates of a post. The feeds contain all updates of the snapshot. */
const MAX_SHOWN_UPDATES_PER_POST = 30
const MAX_SHOWN_LABELS = 20

/** Where and when a post is shown. */
export interface PostContext {
  /** The time zone of the page. */
  zone: string
  /** Epoch milliseconds. */
  now: number
}

export function renderOpenPost(post: SnapshotPost, { zone, now }: PostContext): string {
  const summary = summarizeOutages(post.outages, now)
  const outagesHtml = summary === undefined ? '' : `<p class="affected">${renderOutages(summary, zone)}</p>`
  return `<article class="card post tone-${postStateTones[post.state]}" id="post-${post.id}"><div class="post-head"><h3><bdi>${escapeHtml(post.title)}</bdi></h3>${renderPostState(post.state)}</div>${renderAffected(post.labels)}${outagesHtml}${renderUpdates(post, zone)}</article>`
}

/** The post is collapsed at first, because few visitors need older posts. `day` is the date of the heading above it. */
export function renderPastPost(post: SnapshotPost, { zone, now }: PostContext, day: string): string {
  const summary = summarizeOutages(post.outages, now)
  const stateHtml = post.resolvedAt === null ? `${postStateTexts[post.state]} · ` : ''
  const timesHtml = summary === undefined ? renderPostTimes(post, zone, day) : renderOutages(summary, zone, day)
  return `<details class="past-post" id="post-${post.id}"><summary>${statusIcon(postStateIcons[post.state])}<span><strong><bdi>${escapeHtml(post.title)}</bdi></strong><span class="meta">${stateHtml}${timesHtml}</span>${renderAffected(post.labels)}</span>${statusIcon('chevron')}</summary>${renderUpdates(post, zone)}</details>`
}

function renderPostTimes({ createdAt, resolvedAt }: SnapshotPost, zone: string, day: string): string {
  return resolvedAt === null
    ? renderTime(createdAt, zone, { style: 'clock', day })
    : `Resolved after ${formatDuration(resolvedAt - createdAt)} · ${renderTimeRange(createdAt, resolvedAt, zone, day)}`
}

const renderPostState = (state: SnapshotPost['state']) =>
  `<span class="state post-${state}">${statusIcon(postStateIcons[state])}${postStateTexts[state]}</span>`

/** The labels of monitors that an entry is about. */
export function renderAffected(labels: readonly string[]): string {
  if (labels.length === 0) return ''
  const labelsHtml = labels
    .slice(0, MAX_SHOWN_LABELS)
    .map((label) => `<bdi>${escapeHtml(label)}</bdi>`)
    .join(', ')
  const hiddenCount = labels.length - MAX_SHOWN_LABELS
  return `<span class="affected">Affects ${labelsHtml}${hiddenCount > 0 ? ` and ${hiddenCount} more` : ''}</span>`
}

function renderUpdates({ updates }: SnapshotPost, zone: string): string {
  const newestFirst = updates.toReversed()
  const hiddenCount = Math.max(0, newestFirst.length - MAX_SHOWN_UPDATES_PER_POST)
  const itemsHtml = newestFirst
    .slice(0, MAX_SHOWN_UPDATES_PER_POST)
    .map((update) => renderUpdate(update, zone))
    .join('')
  return `<ol class="updates" role="list">${itemsHtml}</ol>${hiddenCount > 0 ? `<p class="meta">${hiddenCount} older updates are not shown.</p>` : ''}`
}

function renderUpdate({ state, body, createdAt }: SnapshotPostUpdate, zone: string): string {
  return `<li class="update post-${state}"><p class="update-head"><strong>${postStateTexts[state]}</strong> <span class="meta">${renderTime(createdAt, zone)}</span></p><div class="text" dir="auto">${renderMarkdown(body)}</div></li>`
}
