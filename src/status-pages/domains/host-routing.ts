/**
 * Decides which response a request for the custom domain of a status page gets. At a custom domain, `/` is the page
 * and `/history` its history, and the page's URLs below `/status/` work as well. Websites and jobs can send their events and beats to any host that
 * points to this server. All other paths are not found: no sign-in, no API and no other page.
 */
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../config/config.ts'
import { normalizeHost } from '../../lib/network-address.ts'
import type { CustomDomains } from './custom-domains.ts'
import { findOwnHost } from './parse-custom-domain.ts'
import { DOMAIN_TOKEN_PATH } from './token.ts'

export type CustomDomainTarget = 'page' | 'robots' | 'collect' | 'nothing'

const targets = new WeakMap<IncomingMessage, CustomDomainTarget>()

/** What a request for a custom domain asks for. undefined: the request is for another host. */
export const findDomainTarget = (request: IncomingMessage) => targets.get(request)

export function setDomainTarget(request: IncomingMessage, target: CustomDomainTarget): void {
  targets.set(request, target)
}

/**
 * Whether a URL belongs to the page in one of its formats, for example `/status/example.json` or
 * `/status/example/badge.svg?type=uptime`.
 */
const isOfPage = (url: string, slug: string) => {
  const path = `/status/${slug}`
  return url.startsWith(path) && /^(?:[./?]|$)/.test(url.slice(path.length))
}

/** Whether the path is that of the tracking script, of events or of beats. */
const isCollectPath = (path: string) => path === '/api/event' || path === '/b.js' || path.startsWith('/beat/')

/** The fonts belong to all pages, at every host. See `fonts.ts`. */
const isFontPath = (path: string) => /^\/status\/inter-[\w-]+\.woff2$/.test(path)

const isHistoryPath = (path: string) => /^\/history(?:\/20\d\d-\d\d(?:\.json)?)?$/.test(path)

interface DomainUrl {
  target: CustomDomainTarget
  url: string
}

/** `url` is a path with a query, without the prefix of the public URL. Returns the URL of the same page at the host of the public URL. */
export function translateDomainUrl(url: string, slug: string): DomainUrl {
  const [path = ''] = url.split('?', 1)
  if (path === '/') return { target: 'page', url: `/status/${slug}${url.slice(1)}` }
  if (isHistoryPath(path)) return { target: 'page', url: `/status/${slug}${url}` }
  if (path === '/favicon.ico') return { target: 'page', url: `/status/${slug}/logo` }
  if (path === '/robots.txt') return { target: 'robots', url }
  if (isCollectPath(path)) return { target: 'collect', url }
  if (path === DOMAIN_TOKEN_PATH || isFontPath(path) || isOfPage(url, slug)) return { target: 'page', url }
  return { target: 'nothing', url }
}

interface DomainFinderDeps {
  config: Pick<Config, 'url'>
  customDomains: CustomDomains
  /** `address` is the remote address of the connection: that of a proxy, or of the client itself. */
  isTrustedProxy: (address: string | undefined) => boolean
}

/**
 * Returns a function that finds the slug of the page whose custom domain a request is for. Without a public URL, the
 * server doesn't know which host is its own. It then shows the application at all hosts, so that no page can take over
 * the host of the application.
 */
export function createDomainFinder({ config, customDomains, isTrustedProxy }: DomainFinderDeps) {
  let ownUrl: string | undefined
  let ownHost: string | undefined

  const findSlug = (hostHeader: string) => {
    const host = normalizeHost(hostHeader)
    // A page can't take over the host of the application, even if the public URL was changed after its domain was set.
    return host === ownHost ? undefined : customDomains.findSlug(host)
  }

  return ({ headers, socket, url = '' }: IncomingMessage): string | undefined => {
    // Parsing the URL again for every request would be slow, and it rarely changes.
    if (config.url !== ownUrl) {
      ownUrl = config.url
      ownHost = findOwnHost(config)
    }
    if (ownHost === undefined) return undefined
    const forwardedHost = headers['x-forwarded-host']
    const forwardedSlug = forwardedHost && findSlug(String(forwardedHost).split(',').at(-1)?.trim() ?? '')
    if (forwardedSlug && isTrustedProxy(socket.remoteAddress)) return forwardedSlug
    // Check Host even if X-Forwarded-Host names another host: many proxies pass on the client's X-Forwarded-Host, so a visitor of
    // the custom domain could use it to reach the application.
    const slug = headers.host && findSlug(headers.host)
    if (slug) return slug
    const absoluteUrl = url.startsWith('/') ? null : URL.parse(url)
    return absoluteUrl === null ? undefined : findSlug(absoluteUrl.host)
  }
}
