/** The URL of a badge, and the code that shows it. */
import type { BadgeQuery } from '../../../src/status-pages/badges/schema.ts'
import { withQuery } from '../../lib/api.ts'

export interface BadgeChoice {
  /** Undefined for the whole page. */
  monitorId: number | undefined
  type: NonNullable<BadgeQuery['type']>
  period: NonNullable<BadgeQuery['period']>
  /** Describes the badge to people who can't see it. */
  name: string
}

/** The URL leaves out parameters that equal the server's defaults. */
export function buildBadgePath(slug: string, { monitorId, type, period }: BadgeChoice): string {
  return withQuery(`status/${slug}/${monitorId === undefined ? '' : `${monitorId}/`}badge.svg`, {
    type: type === 'state' ? undefined : type,
    period: type === 'uptime' && period !== '30d' ? period : undefined,
  })
}

interface BadgeUrls {
  badge: string
  page: string
}

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** Unescaped brackets and backslashes could end the text of a Markdown image. */
const escapeMarkdown = (text: string) => text.replaceAll(/[[\]\\]/g, String.raw`\$&`)

export const badgeFormats = {
  markdown: ({ name }: BadgeChoice, urls: BadgeUrls) => `[![${escapeMarkdown(name)}](${urls.badge})](${urls.page})`,
  html: ({ name }: BadgeChoice, urls: BadgeUrls) =>
    `<a href="${escapeHtml(urls.page)}"><img src="${escapeHtml(urls.badge)}" alt="${escapeHtml(name)}"></a>`,
  url: (_: BadgeChoice, urls: BadgeUrls) => urls.badge,
}
