/** Pages and referrers that others wrote down, as the collector would have them. Those of our own files stay as they are. */
import { resolveOrigin } from '../../collect/origin/origin.ts'
import { identifyHostSource } from '../../collect/origin/sources.ts'
import { formatPage } from '../../collect/page/ignored-parameters.ts'
import type { Origin } from '../../model/event.ts'

/** The path and query; undefined where it is neither a path nor an address. */
export function readImportedPage(text: string): string | undefined {
  if (text.startsWith('/')) return text
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url === null ? undefined : formatPage(url, false)
}

interface Written {
  referrer: string
  campaign: string | undefined
  page: string
  domain: string
}

/** What the collector would know by a referrer, and by the page where there is none. */
export function readImportedOrigin({ referrer, campaign, page, domain }: Written): Origin & { source: string } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(referrer)) {
    // A path may begin with two slashes, and would be a host behind a base.
    const { referrer: read, source = 'Direct' } = resolveOrigin(new URL(`https://${domain}${page}`), referrer, domain)
    return { ...(read === undefined ? {} : { referrer: read }), source }
  }
  // Never the query: it may hold what somebody searched for, or worse.
  const [plain = ''] = referrer.split(/[?#]/, 1)
  if (plain === '') return { source: campaign ?? 'Direct' }
  return { referrer: plain, source: identifyHostSource((plain.split('/', 1)[0] ?? '').toLowerCase()) }
}
