/**
 * The button at the top of a page, and the panel that it opens: the form for emails, if the server can send them, and the feeds. The
 * browser opens and closes the panel without script (`popover`). In a browser without popovers, the panel is part of the page.
 */
import { escapeHtml } from '../../lib/text.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { statusIcon } from './icons.ts'

/** What subscribers get. Belfry sends no emails about incidents that nobody writes about. */
export const SUBSCRIBE_TEXT =
  'You get an email about each update we post and each planned maintenance. First, we send you a link to confirm your address.'
export const CHOICE_TEXT = 'Get emails about some services only'
export const CHOICE_HINT = 'If you select none, you get emails about all services.'

interface SubscribeOptions {
  path: string
  /** Browsers refuse to move the focus into the frame of a preview, and report that as an error. */
  isPreview: boolean
}

export function renderSubscribe(
  { page, groups }: Pick<StatusPageSnapshot, 'page' | 'groups'>,
  options: SubscribeOptions,
): string {
  const monitors = groups.flatMap((group) => group.monitors)
  const contentHtml = page.canSubscribe
    ? `<h2 id="subscribe-title">Get updates by email</h2><p class="meta">${SUBSCRIBE_TEXT}</p>${renderEmailForm(monitors, options)}`
    : '<h2 id="subscribe-title">Get updates in a feed reader</h2><p class="meta">Add a feed of this page to your feed reader, or to a chat channel.</p>'
  return `<button class="button" type="button" popovertarget="subscribe">${statusIcon('bell')}<span>Subscribe<span class="hidden"> to updates</span></span></button><div class="card subscribe" id="subscribe" popover role="dialog" aria-labelledby="subscribe-title">${contentHtml}${renderFeeds(options.path)}</div>`
}

function renderEmailForm(
  monitors: readonly { id: number; label: string }[],
  { path, isPreview }: SubscribeOptions,
): string {
  const choicesHtml = monitors
    .map(
      ({ id, label }) =>
        `<label class="choice"><input type="checkbox" name="monitor_ids" value="${id}"><bdi>${escapeHtml(label)}</bdi></label>`,
    )
    .join('')
  const onlySomeHtml =
    choicesHtml === ''
      ? ''
      : `<details class="only"><summary>${CHOICE_TEXT}${statusIcon('chevron')}</summary><fieldset class="choices"><legend>${CHOICE_HINT}</legend>${choicesHtml}</fieldset></details>`
  return `<form method="post" action="${escapeHtml(`${path}/subscribe`)}"><div class="subscribe-row"><label class="hidden" for="email">Email address</label><input class="input" id="email" type="email" name="email" placeholder="you@example.com" autocomplete="email" maxlength="254" required${isPreview ? '' : ' autofocus'}><button class="button">Subscribe</button></div>${onlySomeHtml}</form>`
}

/** The formats of the page that programs read, in the order in which people look for them. */
const feeds = [
  { name: 'RSS', suffix: '.rss', mediaType: 'application/rss+xml' },
  { name: 'Atom', suffix: '.atom', mediaType: 'application/atom+xml' },
  { name: 'JSON Feed', suffix: '/feed.json', mediaType: 'application/feed+json' },
] as const

function renderFeeds(path: string): string {
  const linksHtml = feeds.map(({ name, suffix }) => `<a href="${escapeHtml(path + suffix)}">${name}</a>`).join('')
  return `<p class="feeds">${statusIcon('feed')}<span class="hidden">Feeds:</span>${linksHtml}</p>`
}

/** Feed readers find the feeds of a page by these elements. */
export function renderFeedLinks(path: string): string {
  return feeds
    .map(
      ({ name, suffix, mediaType }) =>
        `<link rel="alternate" type="${mediaType}" title="${name}" href="${escapeHtml(path + suffix)}">`,
    )
    .join('')
}
