/** The form to get updates by email, and links to the feeds. */
import { escapeHtml } from '../../lib/text.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { statusIcon } from './icons.ts'

export function renderSubscribe({ page, groups }: StatusPageSnapshot, path: string): string {
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
