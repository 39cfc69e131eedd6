/** Fetches the home page of a website like an HTTP check, and looks for the tracker in it. */
import { defaultHttpSettings } from '../../../monitors/http-schema.ts'
import type {
  CheckFailure,
  HttpTarget,
  Inconclusive,
  ProbeResult,
  RunProbe,
  TrafficTarget,
  Unsupported,
} from '../probe.ts'

export interface HomePage {
  /** null if the page responds, also if it refuses clients that aren't browsers. */
  failure: CheckFailure | null
  /** undefined if the page can't be read, or if only a part of it was read and the tracker is not in that part. */
  hasTracker: boolean | undefined
  result: ProbeResult
}

/** HTTP checks read at most this much of a body. The rest of a longer page stays unread. */
const MAX_PAGE_BYTES = 1024 * 1024
/**
 * Some websites respond with these status codes to every client that isn't a browser, so visitors may still get the
 * page.
 */
const refusals: readonly (number | null)[] = [401, 403, 405, 406, 429]

export async function fetchHomePage(
  target: TrafficTarget,
  checkHttp: RunProbe<HttpTarget>,
): Promise<HomePage | Inconclusive | Unsupported> {
  const page = await fetchPage(target.url, target, checkHttp)
  if (!('failure' in page) || page.failure === null || !target.url.startsWith('https:')) return page
  // A website that supports only HTTP is not down, so try HTTP, too.
  const plainPage = await fetchPage(target.url.replace('https:', 'http:'), target, checkHttp)
  return 'failure' in plainPage && plainPage.failure === null ? plainPage : page
}

async function fetchPage(
  url: string,
  { teamId, timeoutMs }: TrafficTarget,
  checkHttp: RunProbe<HttpTarget>,
): Promise<HomePage | Inconclusive | Unsupported> {
  const chunks: Buffer[] = []
  const onBody = (chunk: Buffer) => void chunks.push(chunk)
  const result = await checkHttp({ type: 'http', url, teamId, timeoutMs, http: defaultHttpSettings, onBody })
  if (!('failure' in result)) return result
  const isRefused = result.failure?.cause === 'http_status' && refusals.includes(result.httpStatus)
  if (isRefused) return { failure: null, hasTracker: undefined, result: { ...result, failure: null } }
  if (result.failure !== null) return { failure: result.failure, hasTracker: undefined, result }
  const body = Buffer.concat(chunks)
  const isFound = hasTracker(body.toString('utf8'))
  return { failure: null, hasTracker: isFound || (body.length < MAX_PAGE_BYTES ? false : undefined), result }
}

/**
 * Our snippet and those of Plausible's clients have `data-domain`. Pages that load our script without it, or send
 * events themselves, name the script or the collector. If a tag manager loads the tracker, only the tag manager is in
 * the page. All patterns take time proportional to the length of the page, so nobody can make a page that takes long to
 * search.
 */
const trackerPatterns: readonly RegExp[] = [
  /\bdata-domain\s{0,9}=/i,
  /\/b\.js\b/,
  /\/api\/event\b/,
  /\bplausible(?:\.io|\.init|\.js|-tracker|\s{0,9}[=(])/i,
  /\bbelfry\s{0,9}\(/,
  /googletagmanager\.com\/gtm\.js/,
  /\bcontainer_\w{4,20}\.js\b/,
]
const commentPattern = /<!--[\s\S]*?(?:-->|$)/g

/** Ignores HTML comments, because a snippet in a comment doesn't run. */
export function hasTracker(html: string): boolean {
  const code = html.replace(commentPattern, '')
  return trackerPatterns.some((pattern) => pattern.test(code))
}
