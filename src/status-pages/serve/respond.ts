/** Answers requests for a status page from a copy of it. Knows no web framework, so that a server without database can use it, too. */
import type { IncomingHttpHeaders } from 'node:http'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import { chooseEncoding } from '../../lib/content-encoding.ts'
import { notFound } from '../../lib/problem.ts'
import { MINUTE_MS } from '../../shared/time.ts'
import { PRIVACY } from '../../shared/websites.ts'
import { BADGE_CONTENT_TYPE, BADGE_MAX_AGE_SECONDS, renderBadge } from '../badges/render-badge.ts'
import type { BadgeQuery } from '../badges/schema.ts'
import { logoHeaders } from '../logo/headers.ts'
import type { FoundCopy } from './copies.ts'
import type { PageFormat } from './formats.ts'
import type { PageCopy } from './page-copy.ts'
import { dataHeaders, renderFormat, toRenderingKey } from './render-format.ts'
import { createPlainRendering, type Rendering, type RenderingEncoding } from './rendering.ts'

export interface PageVisit {
  format: PageFormat
  /** Set only for the badge of one monitor. */
  monitorId?: number | undefined
  badgeQuery?: BadgeQuery
  headers: IncomingHttpHeaders
  /** See `FormatVariant`. */
  pathPrefix: string | undefined
  /** The public URL of this server. */
  serverUrl: string | undefined
}

export interface PageResponse {
  status: 200 | 304
  headers: Record<string, string | number>
  body: Buffer | undefined
}

export interface ReadyResponse {
  /** Alternating names and values. */
  headers: string[]
  body: Buffer
}

const publicCaching = 'public, max-age=0, stale-if-error=86400'
const badgeCaching = `public, max-age=${BADGE_MAX_AGE_SECONDS}, stale-if-error=86400`
/** A new logo has a new URL, because the URL contains the hash of the logo. So browsers can keep a logo for a day. */
const logoCaching = 'public, max-age=86400, stale-if-error=86400'
const privateCaching = 'private, no-store'

/** The caller has checked that the visitor may see the page. */
export async function respondWithPage(foundCopy: FoundCopy, visit: PageVisit, clock: Clock): Promise<PageResponse> {
  const rendering = await renderVisit(foundCopy, visit, clock)
  const isPublic = foundCopy.copy.snapshot.access.privacy === PRIVACY.public
  return toResponse(rendering, visit.headers, isPublic ? chooseCaching(visit.format) : privateCaching)
}

/** For a rendering that has the same privacy and caching as the page. */
export function respondWithRendering(
  rendering: Rendering,
  { copy }: FoundCopy,
  requestHeaders: IncomingHttpHeaders,
): PageResponse {
  const isPublic = copy.snapshot.access.privacy === PRIVACY.public
  return toResponse(rendering, requestHeaders, isPublic ? publicCaching : privateCaching)
}

/**
 * Finds the HTML of a public page that was rendered before. Most visits end here, so the headers are prepared, too. Returns undefined if
 * there is none, or if the client has sent If-None-Match.
 */
export function findReadyPage(
  copy: PageCopy,
  pathPrefix: string | undefined,
  requestHeaders: IncomingHttpHeaders,
): ReadyResponse | undefined {
  if (copy.snapshot.access.privacy !== PRIVACY.public || requestHeaders['if-none-match'] !== undefined) return undefined
  const rendering = copy.findRendering(toRenderingKey({ format: 'html', ageMinutes: undefined, pathPrefix }))
  if (rendering === undefined) return undefined
  const encoding = chooseRenderingEncoding(requestHeaders['accept-encoding'], rendering)
  rendering.sentHeaders[encoding] ??= flatten(toResponse(rendering, requestHeaders, publicCaching).headers)
  return { headers: rendering.sentHeaders[encoding], body: rendering.bodies[encoding] ?? rendering.bodies.identity }
}

const flatten = (headers: Record<string, string | number>) =>
  Object.entries(headers).flatMap(([name, value]) => [name, String(value)])

function chooseCaching(format: PageFormat): string {
  if (format === 'badge') return badgeCaching
  return format === 'logo' ? logoCaching : publicCaching
}

function renderVisit({ copy, isStale }: FoundCopy, visit: PageVisit, clock: Clock): Rendering | Promise<Rendering> {
  const { format, pathPrefix, serverUrl } = visit
  if (format === 'badge') {
    const svg = renderBadge(copy.snapshot, visit.badgeQuery ?? {}, visit.monitorId)
    return createPlainRendering(svg, { ...dataHeaders, 'content-type': BADGE_CONTENT_TYPE })
  }
  if (format === 'logo') {
    if (copy.logo === undefined) throw notFound()
    return createPlainRendering(copy.logo.content, {
      ...dataHeaders,
      ...logoHeaders,
      'content-type': copy.logo.mediaType,
    })
  }
  const ageMs = Math.max(0, clock.now().getTime() - copy.snapshot.readAt)
  return renderFormat(copy, {
    format,
    pathPrefix: format === 'html' ? pathPrefix : '',
    serverUrl,
    ageMinutes: isStale && format === 'html' ? Math.floor(ageMs / MINUTE_MS) : undefined,
  })
}

function toResponse(rendering: Rendering, requestHeaders: IncomingHttpHeaders, caching: string): PageResponse {
  const encoding = chooseRenderingEncoding(requestHeaders['accept-encoding'], rendering)
  const etag = rendering.etags[encoding]
  const headers = { 'cache-control': caching, etag, vary: 'accept-encoding' }
  const ifNoneMatch = requestHeaders['if-none-match']
  if (ifNoneMatch !== undefined && (ifNoneMatch === '*' || ifNoneMatch.includes(etag))) {
    return { status: 304, headers, body: undefined }
  }
  const body = rendering.bodies[encoding] ?? rendering.bodies.identity
  return {
    status: 200,
    headers: {
      ...rendering.headers,
      ...headers,
      ...(encoding !== 'identity' && { 'content-encoding': encoding }),
      'content-length': body.length,
    },
    body,
  }
}

/**
 * Caches the encoding for each Accept-Encoding header, because evaluating one takes 3 µs. Browsers send only a few
 * different ones.
 */
const encodingsByHeader = new BoundedMap<string, RenderingEncoding>(100)
const MAX_CACHED_HEADER_LENGTH = 100

function chooseRenderingEncoding(header: string | string[] | undefined, { bodies }: Rendering): RenderingEncoding {
  if (header === undefined || bodies.br === undefined) return 'identity'
  const text = String(header)
  const cachedEncoding = encodingsByHeader.get(text)
  if (cachedEncoding !== undefined) return cachedEncoding
  const encoding = chooseEncoding(text) ?? 'identity'
  if (text.length <= MAX_CACHED_HEADER_LENGTH) encodingsByHeader.set(text, encoding)
  return encoding
}
