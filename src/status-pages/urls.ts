/** The URLs and paths of a status page. */
import type { SnapshotPage } from './snapshot.ts'

export interface StatusPageUrls {
  /** Where people find the page: at its custom domain if it has one. */
  page: string
  /** What the URLs of the feeds, the JSON and the badges begin with, for example `https://stats.example.com/status/example`. */
  base: string
  json: string
  /** The history of the current month. */
  history: string
  atom: string
  rss: string
  jsonFeed: string
  /** The host of the public URL; undefined if it is not set. */
  authority: string | undefined
}

/**
 * `serverUrl` is the public URL. Without it, all URLs are paths: if they contained the host of the request, the page would have to be
 * rendered for every host that somebody sends. URLs at the custom domain use https unless the public URL uses http, and never have its
 * path prefix. Custom domains need a public URL.
 */
export function toStatusPageUrls(
  { slug, customDomain }: Pick<SnapshotPage, 'slug' | 'customDomain'>,
  serverUrl: string | undefined,
): StatusPageUrls {
  const { protocol, hostname } = serverUrl === undefined ? {} : new URL(serverUrl)
  const domainUrl = serverUrl === undefined || customDomain === null ? undefined : `${protocol}//${customDomain}`
  const base = `${domainUrl ?? serverUrl?.replace(/\/$/, '') ?? ''}/status/${slug}`
  return {
    page: domainUrl === undefined ? base : `${domainUrl}/`,
    base,
    json: `${base}.json`,
    history: `${domainUrl ?? base}/history`,
    atom: `${base}.atom`,
    rss: `${base}.rss`,
    jsonFeed: `${base}/feed.json`,
    authority: hostname,
  }
}

export interface StatusPagePaths {
  /** What the paths of the feeds, the logo and the forms begin with, for example `/status/example`. */
  base: string
  page: string
  history: string
}

/** `pathPrefix` is the path prefix of the public URL, or undefined at a custom domain, whose root is the page. */
export function toStatusPagePaths(slug: string, pathPrefix: string | undefined): StatusPagePaths {
  const base = `${pathPrefix ?? ''}/status/${slug}`
  return pathPrefix === undefined
    ? { base, page: '/', history: '/history' }
    : { base, page: base, history: `${base}/history` }
}
