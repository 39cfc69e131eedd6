/** Fetches the icon of a website from its own server, through the guard that refuses private addresses. */
import type { Dispatcher } from 'undici'
import { type FetchedPage, openGuardedAgent, requestPage } from '../outgoing/fetch-page.ts'
import type { PrivateTargets } from '../outgoing/private-targets.ts'
import { findIconLinks } from './icon-links.ts'
import { detectImageType } from './image-type.ts'

/** Icons are small. A larger file is a photo, or an attempt to fill our database. */
const MAX_ICON_BYTES = 65_536

export interface FetchedIcon {
  contentType: string
  image: Buffer
}

/** Returns undefined if the website has no icon that we can use, or can't be reached. */
export type FetchIcon = (domain: string, signal: AbortSignal) => Promise<FetchedIcon | undefined>

/** The limit for the page and all icons together. */
const FETCH_TIMEOUT_MS = 10_000
/** This is enough for the head of a page, which has the links to its icons. */
const MAX_PAGE_BYTES = 131_072
/** How many of the icons that a page names are tried, the best ones first. */
const MAX_ICON_ATTEMPTS = 3

const listOrigins = (domain: string) => [`https://${domain}`, `http://${domain}`]

/** `originsOf` returns the URLs, without a path, at which a website may be. The first one that responds is used. */
export function createIconFetcher(privateTargets: PrivateTargets, originsOf = listOrigins): FetchIcon {
  return async (domain, signal) => {
    const dispatcher = await openGuardedAgent(privateTargets)
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)])
    try {
      for (const origin of originsOf(domain)) {
        const page = await fetchBytes(`${origin}/`, MAX_PAGE_BYTES, { dispatcher, signal: deadline })
        if (page === undefined) continue
        return await fetchFirstIcon(listCandidates(page), { dispatcher, signal: deadline })
      }
      return undefined
    } finally {
      await dispatcher.destroy()
    }
  }
}

interface RequestOptions {
  dispatcher: Dispatcher
  signal: AbortSignal
}

/** The status code doesn't matter, because an error page may name the icon, too. */
function listCandidates({ url, bytes }: FetchedPage): string[] {
  const links = findIconLinks(bytes.toString('utf8'), url).slice(0, MAX_ICON_ATTEMPTS)
  return [...links, new URL('/favicon.ico', url).href]
}

async function fetchFirstIcon(urls: readonly string[], options: RequestOptions): Promise<FetchedIcon | undefined> {
  for (const url of urls) {
    const response = await fetchBytes(url, MAX_ICON_BYTES, options)
    if (response === undefined || response.status !== 200 || !response.isComplete) continue
    const contentType = detectImageType(response.bytes)
    if (contentType !== undefined) return { contentType, image: response.bytes }
  }
  return undefined
}

/** Returns undefined if the request fails, or if it leads through too many redirects. */
async function fetchBytes(url: string, maxBytes: number, options: RequestOptions): Promise<FetchedPage | undefined> {
  try {
    const response = await requestPage(url, { ...options, maxBytes, accept: 'text/html, image/*' })
    return 'redirectedTo' in response ? undefined : response
  } catch {
    return undefined
  }
}
