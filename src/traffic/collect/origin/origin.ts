/** Where a visitor came from: referrer, source and campaign. */
import type { Origin } from '../../model/event.ts'
import { decodeReadableEscapes, truncateUrl } from '../page/page.ts'
import { parseCampaign } from './campaign.ts'
import { identifyAppSource, identifyHostSource } from './sources.ts'

const MAX_REFERRER_LENGTH = 500
/** Browsers send shorter referrers, so a longer one is forged. */
const MAX_SENT_REFERRER_LENGTH = 2_000

export interface Referrer {
  /** The host without `www.`, or the id of an app. */
  host: string
  path: string
  isApp: boolean
}

/** Returns undefined if the text is not the URL of a web page or an app. */
export function parseReferrer(text: string): Referrer | undefined {
  if (text.length > MAX_SENT_REFERRER_LENGTH || !/^(https?|android-app|ios-app):\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return undefined
  return { host: normalizeHost(url), path: url.pathname, isApp: !url.protocol.startsWith('http') }
}

/**
 * `url` must not contain ignored parameters. Tags in the link win over the referrer, and the referrer wins over click ids:
 * people share links that still have click ids.
 */
export function resolveOrigin(url: URL, sentReferrer: Referrer | undefined, websiteDomain: string): Origin {
  const { campaign, source, clickIdSource } = parseCampaign(url)
  const referrer = sentReferrer && !isOwnHost(sentReferrer, url, websiteDomain) ? sentReferrer : undefined
  return {
    ...(referrer === undefined ? {} : { referrer: formatReferrer(referrer) }),
    source: source ?? (referrer && identifySource(referrer)) ?? clickIdSource ?? 'Direct',
    ...(campaign === undefined ? {} : { campaign }),
  }
}

/**
 * Whether the visitor came from the website itself, or from a server on their own machine, such as a development
 * server. Other subdomains of the website are not own hosts: owners want to know how many visitors the blog sends to the
 * shop.
 */
function isOwnHost({ host, isApp }: Referrer, page: URL, websiteDomain: string): boolean {
  return !isApp && (host === normalizeHost(page) || host === websiteDomain || loopbackPattern.test(host))
}

const loopbackPattern = /^(?:127\.\d+\.\d+\.\d+|0\.0\.0\.0|::1?|localhost)$|\.localhost$/

function formatReferrer({ host, path, isApp }: Referrer): string {
  if (isApp) return truncateUrl(host, MAX_REFERRER_LENGTH)
  // The query is omitted, because it may hold search terms or secrets.
  return decodeReadableEscapes(truncateUrl(host + stripTrailingSlashes(path), MAX_REFERRER_LENGTH))
}

function identifySource({ host, isApp }: Referrer): string {
  return isApp ? identifyAppSource(host) : identifyHostSource(host)
}

/** Converts to lower case and removes brackets, a trailing dot and `www.`. */
function normalizeHost({ hostname }: URL): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$|\.$/g, '')
    .replace(/^www\.(?=.*\.)/, '')
}

/** A regular expression would take quadratic time for 2,000 slashes that are not at the end. */
function stripTrailingSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
