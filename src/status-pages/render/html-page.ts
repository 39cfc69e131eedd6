/** The HTML of a status page. It is complete without script. */
import { formatDuration } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import { overallStateTexts, overallStateTones } from '../../shared/page-states.ts'
import { MINUTE_MS } from '../../shared/time.ts'
import type { SnapshotMaintenance, StatusPageSnapshot } from '../snapshot.ts'
import type { StatusPagePaths } from '../urls.ts'
import { renderBarShape } from './bars.ts'
import { renderGroups } from './groups.ts'
import { overallStateIcons, renderSymbols, statusIcon } from './icons.ts'
import { renderOngoingIncidents, renderRecentHistory } from './incidents.ts'
import { renderPageFrame } from './page-frame.ts'
import { renderAffected, renderOpenPost } from './posts.ts'
import { renderTime, renderTimeRange } from './times.ts'

export interface StatusPageOptions {
  paths: StatusPagePaths
  /**
   * When the page was read, in epoch milliseconds. Only set for a stored copy that is shown because the database is
   * unavailable.
   */
  staleSince?: number
  /** The current time in epoch milliseconds. Only used together with `staleSince`. */
  now?: number
  /** The URL that search engines should show if they find the page at several URLs. */
  canonicalUrl?: string | undefined
  /** A preview doesn't update itself. */
  isPreview?: boolean
}

/** Send it with the headers of `statusPageHeaders`. */
export function renderStatusPage(snapshot: StatusPageSnapshot, options: StatusPageOptions): string {
  const { page, overall } = snapshot
  const { paths, staleSince, canonicalUrl, isPreview = false } = options
  const state = overallStateTexts[overall]
  return renderPageFrame(snapshot, {
    paths,
    canonicalUrl,
    isPreview,
    isLive: !isPreview,
    kind: 'status',
    title: `${state} · ${page.title}`,
    description: page.description ?? `${page.title}: ${state.toLowerCase()}. Uptime of the last 90 days and incidents.`,
    tone: staleSince === undefined ? overallStateTones[overall] : 'idle',
    introHtml: page.description === null ? '' : `<p class="intro" dir="auto">${escapeHtml(page.description)}</p>`,
    mainHtml: renderContent(snapshot, options),
  })
}

/**
 * Every page has all parts, even empty ones, because the script compares each part with the same part of a newer page.
 */
function renderContent(snapshot: StatusPageSnapshot, { paths, staleSince, now }: StatusPageOptions): string {
  const { page, posts, maintenances, firstDay, readAt } = snapshot
  const { timeZone } = page
  const staleHtml = staleSince === undefined ? '' : renderStaleNotice(staleSince, now ?? staleSince, timeZone)
  const openPosts = posts.filter(({ resolvedAt }) => resolvedAt === null)
  const ongoingHtml = `${openPosts.map((post) => renderOpenPost(post, { zone: timeZone, now: readAt })).join('')}${renderOngoingIncidents(snapshot)}`
  const [active, planned] = [true, false].map((isActive) =>
    maintenances
      .filter((maintenance) => maintenance.isActive === isActive)
      .map((maintenance) => renderMaintenance(maintenance, timeZone))
      .join(''),
  )
  return [
    renderSymbols(renderBarShape()),
    `<div id="stale">${staleHtml}</div>`,
    `<div id="overall">${renderBanner(snapshot, staleSince !== undefined)}</div>`,
    renderPart('ongoing', 'Current incidents', ongoingHtml),
    renderPart('active', 'Ongoing maintenance', active ?? ''),
    renderPart('planned', 'Planned maintenance', planned ?? ''),
    `<div id="groups" data-first-day="${firstDay}">${renderGroups(snapshot)}</div>`,
    renderPart('history', 'Past incidents', renderRecentHistory(snapshot, paths.history)),
  ].join('')
}

const renderPart = (id: string, heading: string, html: string) =>
  `<div id="${id}">${html === '' ? '' : `<h2 class="part-heading">${heading}</h2>${html}`}</div>`

function renderBanner({ overall, readAt, page }: StatusPageSnapshot, isStale: boolean): string {
  const prefix = isStale ? 'Last known state: ' : ''
  return `<section class="banner tone-${isStale ? 'idle' : overallStateTones[overall]}">${statusIcon(overallStateIcons[overall])}<div><div role="status"><h2>${prefix}${overallStateTexts[overall]}</h2></div><p>Last updated ${renderTime(readAt, page.timeZone, { style: 'ago' })}</p></div></section>`
}

/** `staleSince` and `now` are epoch milliseconds. */
function renderStaleNotice(staleSince: number, now: number, zone: string): string {
  const ageMs = Math.max(0, now - staleSince)
  const age = ageMs < MINUTE_MS ? 'less than a minute' : formatDuration(ageMs - (ageMs % MINUTE_MS))
  return `<p class="stale tone-warn">${statusIcon('alert')}<span>This page is from ${renderTime(staleSince, zone)}, <time datetime="${new Date(staleSince).toISOString()}" data-ago>${age} ago</time>. Monitoring data is unavailable.</span></p>`
}

function renderMaintenance(maintenance: SnapshotMaintenance, zone: string): string {
  const { id, title, note, startsAt, endsAt, isActive, isRecurring, labels } = maintenance
  const stateHtml = isActive
    ? `<span class="state state-maintenance">${statusIcon('maintenance')}In progress</span>`
    : `<span class="state state-planned">${statusIcon('pending')}Planned</span>`
  const noteHtml = note === null || note === '' ? '' : `<p class="text note" dir="auto">${escapeHtml(note)}</p>`
  return `<article class="card post tone-${isActive ? 'info' : 'idle'}" id="maintenance-${id}"><div class="post-head"><h3><bdi>${escapeHtml(title)}</bdi></h3>${stateHtml}</div><p class="meta">${renderTimeRange(startsAt, endsAt, zone)}${isRecurring ? ' · Repeats' : ''}</p>${renderAffected(labels)}${noteHtml}</article>`
}
