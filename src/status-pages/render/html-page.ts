/** The HTML of a status page. It is complete without script. */
import { formatDuration } from '../../lib/format.ts'
import { escapeHtml } from '../../lib/text.ts'
import type { OverallState } from '../../shared/status-pages.ts'
import { MINUTE_MS } from '../../shared/time.ts'
import { PRIVACY } from '../../shared/websites.ts'
import type { SnapshotMaintenance, StatusPageSnapshot } from '../snapshot.ts'
import { overallStateTexts } from '../state-texts.ts'
import { renderBarShape } from './bars.ts'
import { renderDocument } from './document.ts'
import { renderGroups } from './groups.ts'
import { overallStateIcons, renderIconSymbols, statusIcon } from './icons.ts'
import { renderHistory, renderOngoingIncidents } from './incidents.ts'
import { renderAffected, renderOpenPost } from './posts.ts'
import type { StateTone } from './tab-icon.ts'
import { renderTime, renderTimeRange, renderZoneNote } from './times.ts'

export interface StatusPageOptions {
  /** The path of the page without a slash at its end, and with the prefix of BELFRY_URL: `/status/example`. */
  path: string
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
  const { page, overall, access } = snapshot
  const { path, staleSince, canonicalUrl, isPreview = false } = options
  const state = overallStateTexts[overall]
  const isPublic = access.privacy === PRIVACY.public
  const pathHtml = escapeHtml(path)
  return renderDocument({
    page,
    path,
    title: `${state} · ${page.title}`,
    description: page.description ?? `${page.title}: ${state.toLowerCase()}. Uptime of the last 90 days and incidents.`,
    isIndexed: isPublic && !isPreview,
    kind: 'status',
    tone: staleSince === undefined ? overallTones[overall] : 'idle',
    headHtml: `${canonicalUrl === undefined ? '' : `<link rel="canonical" href="${escapeHtml(canonicalUrl)}">`}<link rel="alternate" type="application/atom+xml" title="Atom feed" href="${pathHtml}.atom"><link rel="alternate" type="application/feed+json" title="JSON feed" href="${pathHtml}/feed.json">`,
    introHtml: page.description === null ? '' : `<p class="intro" dir="auto">${escapeHtml(page.description)}</p>`,
    linksHtml: page.canSubscribe
      ? `<a class="button quiet" href="#subscribe">${statusIcon('bell')}Get updates</a>`
      : '',
    mainHtml: renderContent(snapshot, options),
    footerHtml: renderZoneNote(page.timeZone),
    // The frame of the preview allows no scripts.
    hasScript: !isPreview,
    isLive: !isPreview,
  })
}

/**
 * Every page has all parts, even empty ones, because the script compares each part with the same part of a newer page.
 */
function renderContent(snapshot: StatusPageSnapshot, { path, staleSince, now }: StatusPageOptions): string {
  const { page, posts, maintenances, firstDay } = snapshot
  const { timeZone } = page
  const staleHtml = staleSince === undefined ? '' : renderStaleNotice(staleSince, now ?? staleSince, timeZone)
  const openPosts = posts.filter(({ resolvedAt }) => resolvedAt === null)
  const ongoingHtml = `${openPosts.map((post) => renderOpenPost(post, timeZone)).join('')}${renderOngoingIncidents(snapshot)}`
  const [active, planned] = [true, false].map((isActive) =>
    maintenances
      .filter((maintenance) => maintenance.isActive === isActive)
      .map((maintenance) => renderMaintenance(maintenance, timeZone))
      .join(''),
  )
  return [
    `<svg class="symbols" width="0" height="0" aria-hidden="true"><defs>${renderIconSymbols()}${renderBarShape()}</defs></svg>`,
    `<div id="stale">${staleHtml}</div>`,
    `<div id="overall">${renderBanner(snapshot, staleSince !== undefined)}</div>`,
    renderPart('ongoing', 'Current incidents', ongoingHtml),
    renderPart('active', 'Ongoing maintenance', active ?? ''),
    renderPart('planned', 'Planned maintenance', planned ?? ''),
    `<div id="groups" data-first-day="${firstDay}">${renderGroups(snapshot)}</div>`,
    renderPart('history', 'Past incidents', renderHistory(snapshot)),
    `<div id="subscribe">${renderSubscribe(snapshot, path)}</div>`,
  ].join('')
}

const renderPart = (id: string, heading: string, html: string) =>
  `<div id="${id}">${html === '' ? '' : `<h2 class="part-heading">${heading}</h2>${html}`}</div>`

const overallTones: Record<OverallState, StateTone> = {
  up: 'good',
  partly_down: 'warn',
  down: 'bad',
  incident: 'warn',
  maintenance: 'info',
  unknown: 'idle',
}

function renderBanner({ overall, readAt, page }: StatusPageSnapshot, isStale: boolean): string {
  const prefix = isStale ? 'Last known state: ' : ''
  return `<section class="banner tone-${isStale ? 'idle' : overallTones[overall]}">${statusIcon(overallStateIcons[overall])}<div><div role="status"><h2>${prefix}${overallStateTexts[overall]}</h2></div><p>Last updated ${renderTime(readAt, page.timeZone, { style: 'ago' })}</p></div></section>`
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

function renderSubscribe({ page, groups }: StatusPageSnapshot, path: string): string {
  const feedsHtml = `<p class="feeds">${statusIcon('feed')}<a href="${escapeHtml(`${path}.atom`)}">Atom feed</a><a href="${escapeHtml(`${path}/feed.json`)}">JSON feed</a></p>`
  if (!page.canSubscribe) return feedsHtml
  const choicesHtml = groups
    .flatMap(({ monitors }) => monitors)
    .map(
      ({ id, label }) =>
        `<label class="choice"><input type="checkbox" name="monitor_ids" value="${id}"><bdi>${escapeHtml(label)}</bdi></label>`,
    )
    .join('')
  const onlySomeHtml =
    choicesHtml === ''
      ? ''
      : `<details class="only"><summary>Only for some monitors${statusIcon('chevron')}</summary><fieldset class="choices"><legend>Select none to get updates about all monitors.</legend>${choicesHtml}</fieldset></details>`
  return `<section class="card subscribe"><h2>Get updates by email</h2><p class="meta">About incidents and maintenances. First, we send you a link to confirm your address.</p><form method="post" action="${escapeHtml(`${path}/subscribe`)}"><div class="subscribe-row"><label class="hidden" for="email">Email address</label><input class="input" id="email" type="email" name="email" placeholder="you@example.com" autocomplete="email" maxlength="254" required><button class="button">Subscribe</button></div>${onlySomeHtml}</form></section>${feedsHtml}`
}
