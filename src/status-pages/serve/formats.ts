/** The formats of a status page, such as HTML, JSON, a feed or a badge, and their URLs. */
import { MAX_SLUG_LENGTH, MIN_SLUG_LENGTH, SLUG_PATTERN } from '../../shared/status-pages.ts'

export const pageFormats = ['html', 'json', 'atom', 'rss', 'feed', 'badge', 'logo'] as const
export type PageFormat = (typeof pageFormats)[number]

export interface StatusPageRequest {
  slug: string
  format: PageFormat
  /** Set only for the badge of one monitor. */
  monitorId?: number
  /** The query string without the question mark. */
  query: string
  /** The pattern of the route, for logs and metrics. */
  route: string
}

const slugSource = '[a-z0-9](?:[a-z0-9-]{1,48}[a-z0-9])'
/** Only canonical paths match. Fastify's routes redirect other spellings. */
const pathPattern = new RegExp(
  String.raw`^/status/(${slugSource})(?:(\.json|\.atom|\.rss|/feed\.json|/badge\.svg|/logo)|/([1-9]\d{0,14})/badge\.svg)?(?:\?(.*))?$`,
)

const formatBySuffix: Record<string, { format: PageFormat; route: string }> = {
  '': { format: 'html', route: '/status/:slug' },
  '.json': { format: 'json', route: '/status/:slug.json' },
  '.atom': { format: 'atom', route: '/status/:slug.atom' },
  '.rss': { format: 'rss', route: '/status/:slug.rss' },
  '/feed.json': { format: 'feed', route: '/status/:slug/feed.json' },
  '/badge.svg': { format: 'badge', route: '/status/:slug/badge.svg' },
  '/logo': { format: 'logo', route: '/status/:slug/logo' },
}

/** Returns undefined for a path that is not one of a status page. */
export function parsePageUrl(url: string): StatusPageRequest | undefined {
  if (!url.startsWith('/status/')) return undefined
  const match = pathPattern.exec(url)
  if (match === null) return undefined
  const [, slug = '', suffix = '', monitorId, query = ''] = match
  if (monitorId !== undefined) {
    return { slug, format: 'badge', monitorId: Number(monitorId), query, route: '/status/:slug/:monitor_id/badge.svg' }
  }
  const entry = formatBySuffix[suffix]
  return entry && { slug, query, ...entry }
}

const slugPattern = new RegExp(SLUG_PATTERN)

/** Returns undefined if no page can have this slug, not even in lower case. */
export function toCanonicalSlug(slug: string): string | undefined {
  const lowerCaseSlug = slug.toLowerCase()
  return slugPattern.test(lowerCaseSlug) && slug.length >= MIN_SLUG_LENGTH && slug.length <= MAX_SLUG_LENGTH
    ? lowerCaseSlug
    : undefined
}
