/** The HTML of a status page. It is complete without script. */
import { escapeHtml } from '../../lib/text.ts'
import { PRIVACY } from '../../shared/websites.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { overallStateTexts } from '../words.ts'
import { overallTones, renderBanner, renderStaleNotice } from './banner.ts'
import { renderBarShape } from './bars.ts'
import { renderDocument } from './document.ts'
import { renderGroups } from './groups.ts'
import { renderIconSymbols, statusIcon } from './icons.ts'
import { renderHistory, renderOngoingIncidents } from './incidents.ts'
import { renderMaintenance } from './maintenances.ts'
import { renderOpenPost } from './posts.ts'
import { renderSubscribe } from './subscribe-form.ts'
import { renderZoneNote } from './times.ts'

export interface StatusPageOptions {
  /** The path of the page without a slash at its end, and with the prefix of BELFRY_URL: `/status/example`. */
  path: string
  /** Set if the page is a stored copy because the database is unavailable: when it was read, in epoch milliseconds. */
  staleSince?: number
  /** The current time in epoch milliseconds. Only used together with `staleSince`. */
  now?: number
  /** The one URL that search engines show. */
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

/** The parts are always there, even if they are empty: the script compares them with those of a newer page one by one. */
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
    part('ongoing', 'Current incidents', ongoingHtml),
    part('active', 'Ongoing maintenance', active ?? ''),
    part('planned', 'Planned maintenance', planned ?? ''),
    `<div id="groups" data-first-day="${firstDay}">${renderGroups(snapshot)}</div>`,
    part('history', 'Past incidents', renderHistory(snapshot)),
    `<div id="subscribe">${renderSubscribe(snapshot, path)}</div>`,
  ].join('')
}

const part = (id: string, heading: string, html: string) =>
  `<div id="${id}">${html === '' ? '' : `<h2 class="part-heading">${heading}</h2>${html}`}</div>`
