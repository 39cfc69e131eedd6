/** Requests pages and files of users' websites through the guard, with limits for time, bytes and redirects. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import type { PrivateTargets } from './private-targets.ts'
import { discardBody, readLimitedBody } from './read-body.ts'

const CONNECT_TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 5

export interface FetchedPage {
  /** The URL after redirects. */
  url: string
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
  /** False if the body was longer than the limit. */
  isComplete: boolean
}

/** The next URL of a redirect that was not followed. */
export interface UnfollowedRedirect {
  redirectedTo: string
}

export interface FetchPageOptions {
  dispatcher: Dispatcher
  signal: AbortSignal
  maxBytes: number
  accept: string
  /** Without it, redirects to all hosts are followed. */
  mayFollow?: (url: URL) => boolean
}

/** Loads undici on first use, because it takes 10 MB of memory. The caller has to destroy the agent. */
export async function openGuardedAgent(privateTargets: PrivateTargets): Promise<Dispatcher> {
  const [{ Agent }, { Guard }, { createConnector }] = await Promise.all([
    import('undici'),
    import('./guard.ts'),
    import('./connector.ts'),
  ])
  return new Agent({ connect: createConnector(new Guard(privateTargets), { timeoutMs: CONNECT_TIMEOUT_MS }) })
}

/** Throws if the guard refuses the address, nothing responds, or the response isn't valid HTTP. */
export async function requestPage(
  url: string,
  { dispatcher, signal, maxBytes, accept, mayFollow = () => true }: FetchPageOptions,
): Promise<FetchedPage | UnfollowedRedirect> {
  const { request } = await import('undici')
  let target = url
  for (let redirects = 0; ; redirects++) {
    const headers = { 'user-agent': 'Belfry', accept, 'accept-encoding': 'identity' }
    const response = await request(target, { headers, dispatcher, signal })
    const { statusCode: status, body } = response
    const location = status >= 300 && status < 400 ? response.headers['location'] : undefined
    if (typeof location !== 'string') {
      return { url: target, status, headers: response.headers, ...(await readLimitedBody(body, maxBytes)) }
    }
    // Reading the body of a redirect would only keep the connection busy.
    discardBody(body)
    const next = URL.parse(location, target)
    const isFollowed = next !== null && /^https?:$/.test(next.protocol) && redirects < MAX_REDIRECTS && mayFollow(next)
    if (!isFollowed) return { redirectedTo: next?.href ?? location }
    target = next.href
  }
}
