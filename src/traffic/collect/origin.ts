/** Where somebody came from. */
import type { Origin } from '../model/event.ts'
import { campaignOf } from './campaign.ts'
import { cutAddress } from './page-cut.ts'
import { readable } from './readable.ts'
import { sourceOfApp, sourceOfHost } from './sources.ts'

const REFERRER_MOST = 500
/** What browsers send is shorter; longer ones are made up. */
const SENT_MOST = 2_000

/** `url` has lost what is excluded. The site itself, and its subdomains, is no referrer. */
export function originOf(url: URL, referrer: string | undefined, siteDomain: string): Origin {
  const { campaign, source, clicked } = campaignOf(url)
  const came = referrer === undefined ? undefined : readReferrer(referrer, url, siteDomain)
  return {
    ...(came === undefined ? {} : { referrer: came.referrer }),
    source: source ?? came?.source ?? clicked ?? 'Direct',
    ...(campaign === undefined ? {} : { campaign }),
  }
}

function readReferrer(text: string, page: URL, siteDomain: string): { referrer: string; source: string } | undefined {
  if (text.length > SENT_MOST || !/^(https?|android-app|ios-app):\/\//i.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null || url.hostname === '') return undefined
  const host = bareHost(url)
  if (!url.protocol.startsWith('http')) return { referrer: cutAddress(host, REFERRER_MOST), source: sourceOfApp(host) }
  if (host === bareHost(page) || host === siteDomain || host.endsWith(`.${siteDomain}`)) return undefined
  // Never the query: it may hold what somebody searched for, or worse.
  return {
    referrer: readable(cutAddress(host + withoutSlashes(url.pathname), REFERRER_MOST)),
    source: sourceOfHost(host),
  }
}

function bareHost({ hostname }: URL): string {
  return hostname
    .toLowerCase()
    .replace(/^\[|\]$|\.$/g, '')
    .replace(/^www\.(?=.*\.)/, '')
}

/** At its end. A regular expression would go back to each of 2,000 slashes before something else. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
