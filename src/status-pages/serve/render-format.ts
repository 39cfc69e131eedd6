/** Renders the formats of a page that are kept in memory. */
import { Problem } from '../../lib/problem.ts'
import { MINUTE_MS } from '../../shared/time.ts'
import { ATOM_CONTENT_TYPE, renderAtomFeed } from '../feeds/atom.ts'
import { JSON_FEED_CONTENT_TYPE, renderJsonFeed } from '../feeds/json-feed.ts'
import { toPublicJson } from '../feeds/public-json.ts'
import { RSS_CONTENT_TYPE, renderRssFeed } from '../feeds/rss.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { renderStatusPage } from '../render/html-page.ts'
import { prepareMarkdown } from '../render/markdown.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import { toStatusPagePaths, toStatusPageUrls } from '../urls.ts'
import type { PageCopy } from './page-copy.ts'
import type { RenderBudget } from './render-budget.ts'
import { createRendering, type FormatVariant, type Rendering } from './rendering.ts'

/**
 * A browser that opens the JSON, a feed or a badge must not load, run or frame anything. Pages of other sites can embed
 * badges and read the JSON.
 */
export const dataHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  'access-control-allow-origin': '*',
}

/** Returns the key of a variant among the renderings of a page. */
export const toRenderingKey = ({ format, ageMinutes, pathPrefix }: Omit<FormatVariant, 'serverUrl'>) =>
  `${format} ${ageMinutes} ${pathPrefix}`

/** Throws if the pages of this user have taken too much time to render. */
export function refuseIfBudgetIsSpent(
  renderBudget: RenderBudget,
  teamId: number,
  subject: 'This status page' | 'The preview' = 'This status page',
): void {
  const seconds = renderBudget.findWaitSeconds(teamId)
  if (seconds === 0) return
  throw new Problem('unavailable', `${subject} is requested too often at the moment. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

/**
 * Returns a format for a visitor, and renders it if necessary. If the render budget of the page's owner is spent,
 * returns a rendering that may show another age, or rejects if there is none.
 */
export function renderFormat(copy: PageCopy, variant: FormatVariant): Rendering | Promise<Rendering> {
  const key = toRenderingKey(variant)
  const readyRendering = copy.findRendering(key)
  if (readyRendering !== undefined) return readyRendering
  return prepareFormat(copy, variant, { mayRefuse: true }).then(
    // `findRendering` marks the new rendering as used.
    (rendering) => copy.findRendering(key) ?? rendering,
    (error) => {
      const similarRendering = error instanceof Problem ? copy.findSimilar(variant) : undefined
      if (similarRendering === undefined) throw error
      return similarRendering
    },
  )
}

/**
 * Renders a format without marking it as used. With `mayRefuse`, it rejects if the render budget of the page's owner is
 * spent.
 */
export function prepareFormat(copy: PageCopy, variant: FormatVariant, { mayRefuse = false } = {}): Promise<Rendering> {
  const { renderBudget, snapshot } = copy
  const { teamId } = snapshot.access
  const create = async () => {
    // The budget is checked here, because other pages of the user may have been rendered since the request began.
    if (mayRefuse) refuseIfBudgetIsSpent(renderBudget, teamId)
    await prepareMarkdown(snapshot.posts, (render) => renderBudget.spend(teamId, render))
    return createRendering(...renderBudget.spend(teamId, () => renderContent(snapshot, variant)))
  }
  return copy.render(toRenderingKey(variant), variant, create)
}

function renderContent(snapshot: StatusPageSnapshot, variant: FormatVariant): [string, Record<string, string>] {
  const { format, serverUrl } = variant
  if (format === 'html') {
    return [renderHtml(snapshot, variant), toHtmlHeaders(snapshot, variant)]
  }
  const urls = toStatusPageUrls(snapshot.page, serverUrl)
  if (format === 'atom') return [renderAtomFeed(snapshot, urls), { ...dataHeaders, 'content-type': ATOM_CONTENT_TYPE }]
  if (format === 'rss') return [renderRssFeed(snapshot, urls), { ...dataHeaders, 'content-type': RSS_CONTENT_TYPE }]
  if (format === 'feed')
    return [renderJsonFeed(snapshot, urls), { ...dataHeaders, 'content-type': JSON_FEED_CONTENT_TYPE }]
  const json = JSON.stringify(toPublicJson(snapshot, urls))
  return [json, { ...dataHeaders, 'content-type': 'application/json; charset=utf-8' }]
}

export const toHtmlHeaders = ({ page }: StatusPageSnapshot, { pathPrefix }: Pick<FormatVariant, 'pathPrefix'>) => ({
  ...statusPageHeaders(page, { fontBase: `${pathPrefix ?? ''}/status/` }),
  'cross-origin-resource-policy': 'same-origin',
})

function renderHtml(snapshot: StatusPageSnapshot, { pathPrefix, serverUrl, ageMinutes }: FormatVariant): string {
  const { page, readAt } = snapshot
  const ageOptions = ageMinutes === undefined ? {} : { staleSince: readAt, now: readAt + ageMinutes * MINUTE_MS }
  // The URL that search engines should show, whichever host they found the page at.
  const canonicalUrl = serverUrl && toStatusPageUrls(page, serverUrl).page
  return renderStatusPage(snapshot, { paths: toStatusPagePaths(page.slug, pathPrefix), canonicalUrl, ...ageOptions })
}
