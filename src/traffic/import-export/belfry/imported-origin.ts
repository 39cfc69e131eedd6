/** Converts pages, hosts and referrers of imported files to what the collector would store. Values that Belfry exported stay the same. */
import { parseReferrer, resolveOrigin } from '../../collect/origin/origin.ts'
import { identifyHostSource } from '../../collect/origin/sources.ts'
import { formatHostname, formatPage } from '../../collect/page/page.ts'
import type { Origin } from '../../model/event.ts'

/** Returns the path and query, or undefined if the text is neither a path nor a URL. */
export function readImportedPage(text: string): string | undefined {
  if (text.startsWith('/')) return text
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
  return url === null ? undefined : formatPage(url, false)
}

/** Matches every host that the collector stores, including those of apps, which need not be valid in DNS. */
const storedHostnamePattern = /^(?:[a-z\d_!"$%&'()*+,.;=`{}~-]+|\[[\da-f:.]+\])$/

/** Converts other software's spelling, with capitals or a port. Returns undefined if the text is not a host. */
export function readImportedHostname(text: string): string | undefined {
  if (storedHostnamePattern.test(text)) return formatHostname(text)
  return /[\s/?#@\\]/.test(text) ? undefined : formatHostname(URL.parse(`http://${text}`)?.hostname ?? '')
}

/** The host of a page that is a complete URL. */
export function findHostnameOfPage(text: string): string | undefined {
  return text.startsWith('/') ? undefined : formatHostname(URL.parse(text)?.hostname ?? '')
}

interface OriginFields {
  referrer: string
  campaign: string | undefined
  page: string
  domain: string
}

/**
 * Derives the source from the first of these that applies:
 * - A referrer that is a full URL, by the rules of the collector: parameters of the page such as utm_source come first.
 * - A referrer without a scheme, such as example.org/links, by its host.
 * - The campaign, whose name becomes the source.
 * Otherwise the source is `Direct`.
 */
export function readImportedOrigin({ referrer, campaign, page, domain }: OriginFields): Origin & { source: string } {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(referrer)) {
    // The URL is concatenated, because a path that begins with two slashes would replace the host of a base URL.
    const { referrer: resolvedReferrer, source = 'Direct' } = resolveOrigin(
      new URL(`https://${domain}${page}`),
      parseReferrer(referrer),
      domain,
    )
    return { ...(resolvedReferrer === undefined ? {} : { referrer: resolvedReferrer }), source }
  }
  // The query may hold personal data, such as search terms.
  const [hostAndPath = ''] = referrer.split(/[?#]/, 1)
  if (hostAndPath === '') return { source: campaign ?? 'Direct' }
  const host = (hostAndPath.split('/', 1)[0] ?? '').toLowerCase().replace(/^www\.(?=.*\.)/, '')
  return { referrer: hostAndPath, source: identifyHostSource(host) }
}
