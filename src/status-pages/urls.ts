/** The absolute URLs of a status page. */
import type { SnapshotPage } from './snapshot.ts'

export interface StatusPageUrls {
  /** Where people find the page: at its custom domain if it has one. */
  page: string
  /** What the URLs of the feeds, the JSON and the badges begin with, for example `https://stats.example.com/status/example`. */
  base: string
  json: string
  atom: string
  jsonFeed: string
  /**
   * The host in the ids of feed entries. Readers recognize entries by their ids, so it is the same at the custom domain and at the
   * host of BELFRY_URL.
   */
  authority: string
}

/**
 * `serverUrl` is BELFRY_URL or, without it, the origin of the request. URLs at the custom domain use https unless BELFRY_URL uses http,
 * and never have the path prefix of BELFRY_URL.
 */
export function toStatusPageUrls(
  { slug, customDomain }: Pick<SnapshotPage, 'slug' | 'customDomain'>,
  serverUrl: string,
  { isConfigured }: { isConfigured: boolean },
): StatusPageUrls {
  const { protocol, hostname } = new URL(serverUrl)
  const domainScheme = isConfigured ? protocol : 'https:'
  const domainUrl = customDomain === null ? undefined : `${domainScheme}//${customDomain}`
  const base = `${domainUrl ?? serverUrl.replace(/\/$/, '')}/status/${slug}`
  return {
    page: domainUrl === undefined ? base : `${domainUrl}/`,
    base,
    json: `${base}.json`,
    atom: `${base}.atom`,
    jsonFeed: `${base}/feed.json`,
    authority: isConfigured ? hostname : (customDomain ?? hostname),
  }
}

/** The URL that search engines should show, whichever host they found the page at. undefined without BELFRY_URL and custom domain. */
export function findCanonicalUrl(
  page: Pick<SnapshotPage, 'slug' | 'customDomain'>,
  configuredUrl: string | undefined,
): string | undefined {
  if (configuredUrl !== undefined) return toStatusPageUrls(page, configuredUrl, { isConfigured: true }).page
  return page.customDomain === null ? undefined : `https://${page.customDomain}/`
}
