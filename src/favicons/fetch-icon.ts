/** Fetches the icon of a website from its own server, through the guard that refuses private addresses. */
import type { Dispatcher } from 'undici'
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
const CONNECT_TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 5
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

/** Loads undici on first use, because it takes 10 MB of memory. */
async function openGuardedAgent(privateTargets: PrivateTargets): Promise<Dispatcher> {
  const [{ Agent }, { Guard }, { createConnector }] = await Promise.all([
    import('undici'),
    import('../outgoing/guard.ts'),
    import('../outgoing/connector.ts'),
  ])
  return new Agent({ connect: createConnector(new Guard(privateTargets), { timeoutMs: CONNECT_TIMEOUT_MS }) })
}

interface RequestOptions {
  dispatcher: Dispatcher
  signal: AbortSignal
}

interface FetchedBytes {
  /** The URL after redirects. */
  url: string
  status: number
  bytes: Buffer
  /** False if the body was longer than the limit. */
  isComplete: boolean
}

/** The status code doesn't matter, because an error page may name the icon, too. */
function listCandidates({ url, bytes }: FetchedBytes): string[] {
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

/** Returns undefined if the request fails: the guard refuses the address, nothing responds, or the response isn't valid HTTP. */
async function fetchBytes(url: string, maxBytes: number, options: RequestOptions): Promise<FetchedBytes | undefined> {
  try {
    return await followRedirects(url, maxBytes, options)
  } catch {
    return undefined
  }
}

async function followRedirects(
  url: string,
  maxBytes: number,
  { dispatcher, signal }: RequestOptions,
): Promise<FetchedBytes | undefined> {
  const { request } = await import('undici')
  let target = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const { statusCode, headers, body } = await request(target, {
      headers: { 'user-agent': 'Belfry', accept: 'text/html, image/*' },
      dispatcher,
      signal,
    })
    // Destroying a body that isn't complete emits an error. Without a listener, it would end the process.
    body.on('error', () => {})
    const location = statusCode >= 300 && statusCode < 400 ? headers['location'] : undefined
    if (typeof location !== 'string') {
      return { url: target, status: statusCode, ...(await readBody(body, maxBytes)) }
    }
    // Reading the body of a redirect would only keep the connection busy.
    body.destroy()
    const next = URL.parse(location, target)
    if (next === null || !/^https?:$/.test(next.protocol)) return undefined
    target = next.href
  }
  return undefined
}

async function readBody(body: Dispatcher.ResponseData['body'], maxBytes: number) {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    length += chunk.length
    // Leaving the loop destroys the body.
    if (length > maxBytes) break
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isComplete: length <= maxBytes }
}
