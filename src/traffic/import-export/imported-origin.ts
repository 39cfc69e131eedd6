/** Pages and referrers that others wrote down, as the collector would have them. Those of our own files stay as they are. */
import { originOf } from '../collect/origin.ts'
import { pageOf } from '../collect/page.ts'
import { sourceOfHost } from '../collect/sources.ts'
import type { Origin } from '../model/event.ts'

/** The path and query; undefined where it is neither a path nor an address. */
export function readPage(text: string): string | undefined {
  if (text.startsWith('/')) return text
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url === null ? undefined : pageOf(url, false)
}

interface Written {
  referrer: string
  campaign: string | undefined
  page: string
  domain: string
}

/** What the collector would know by a referrer, and by the page where there is none. */
export function readOrigin({ referrer, campaign, page, domain }: Written): Origin & { source: string } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(referrer)) {
    // A path may begin with two slashes, and would be a host behind a base.
    const { referrer: read, source = 'Direct' } = originOf(new URL(`https://${domain}${page}`), referrer, domain)
    return { ...(read === undefined ? {} : { referrer: read }), source }
  }
  // Never the query: it may hold what somebody searched for, or worse.
  const [plain = ''] = referrer.split(/[?#]/, 1)
  if (plain === '') return { source: campaign ?? 'Direct' }
  return { referrer: plain, source: sourceOfHost((plain.split('/', 1)[0] ?? '').toLowerCase()) }
}
