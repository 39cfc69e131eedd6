/** What all pages of a status page share: the top with the button to subscribe, the feeds, and the footer. */
import { escapeHtml } from '../../lib/text.ts'
import { PRIVACY } from '../../shared/websites.ts'
import type { StatusPageSnapshot } from '../snapshot.ts'
import type { StatusPagePaths } from '../urls.ts'
import { type DocumentContent, renderDocument } from './document.ts'
import { toFontBase } from './fonts.ts'
import { renderFeedLinks, renderSubscribe } from './subscribe.ts'
import { renderZoneNote } from './times.ts'

export interface PageFrameContent
  extends Pick<DocumentContent, 'kind' | 'title' | 'description' | 'mainHtml' | 'tone' | 'introHtml' | 'isLive'> {
  paths: StatusPagePaths
  /** The URL that search engines should show if they find the page at several URLs. */
  canonicalUrl: string | undefined
  isPreview?: boolean
}

export function renderPageFrame(
  { page, groups, access }: Pick<StatusPageSnapshot, 'page' | 'groups' | 'access'>,
  { paths, canonicalUrl, isPreview = false, ...content }: PageFrameContent,
): string {
  const { base } = paths
  return renderDocument({
    ...content,
    page,
    paths,
    fontBase: toFontBase(base),
    isIndexed: access.privacy === PRIVACY.public && !isPreview,
    headHtml: `${canonicalUrl === undefined ? '' : `<link rel="canonical" href="${escapeHtml(canonicalUrl)}">`}${renderFeedLinks(base)}`,
    linksHtml: renderSubscribe({ page, groups }, { path: base, isPreview }),
    footerHtml: renderZoneNote(page.timeZone),
    // The frame of the preview allows no scripts.
    hasScript: !isPreview,
  })
}
