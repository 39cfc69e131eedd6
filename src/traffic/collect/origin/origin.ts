/** Where a visitor came from: referrer, source and campaign. */
import type { Origin } from '../../model/event.ts'
import { decodeReadableEscapes, truncateUrl } from '../page/page.ts'
import { parseCampaign } from './campaign.ts'
import { identifyAppSource, identifyHostSource } from './sources.ts'

const MAX_REFERRER_LENGTH = 500
/** Browsers send shorter referrers, so a longer one is forged. */
const MAX_SENT_REFERRER_LENGTH = 2_000

/**
 * `url` must not contain ignored parameters. A referrer on the website's own domain or a subdomain doesn't count. Tags in
 * the link win over the referrer, and the referrer wins over click ids: people share links that still have click ids.
 */
export function resolveOrigin(url: URL, referrerText: string | undefined, websiteDomain: string): Origin {
  const { campaign, source, clickIdSource } = parseCampaign(url)
  const referrer = referrerText === undefined ? undefined : parseReferrer(referrerText, url, websiteDomain)
  return {
    ...(referrer === undefined ? {} : { referrer: referrer.address }),
    source: source ?? referrer?.source ?? clickIdSource ?? 'Direct',
    ...(campaign === undefined ? {} : { campaign }),
  }
}

function parseReferrer(
  text: string,
  page: URL,
  websiteDomain: string,
): { address: string; source: string } | undefined {
  if (text.length > MAX_SENT_REFERRER_LENGTH || !/^(https?|android-app|ios-app):\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return undefined
  const host = normalizeHost(url)
  if (!url.protocol.startsWith('http')) {
    return { address: truncateUrl(host, MAX_REFERRER_LENGTH), source: identifyAppSource(host) }
  }
  if (host === normalizeHost(page) || host === websiteDomain || host.endsWith(`.${websiteDomain}`)) return undefined
  // Omits the query, which may hold search terms or secrets.
  return {
    address: decodeReadableEscapes(truncateUrl(host + stripTrailingSlashes(url.pathname), MAX_REFERRER_LENGTH)),
    source: identifyHostSource(host),
  }
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
