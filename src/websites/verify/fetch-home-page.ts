/** Fetches the home page of a website for its owner, through the guard that refuses private addresses. */
import { openGuardedAgent, requestPage } from '../../outgoing/fetch-page.ts'
import { findNetworkFault } from '../../outgoing/network-fault.ts'
import type { PrivateTargets } from '../../outgoing/private-targets.ts'
import type { HomePageResult } from './judge-page.ts'

export type FetchHomePage = (domain: string) => Promise<HomePageResult>

/** The limit for all attempts and redirects together. */
const FETCH_TIMEOUT_MS = 10_000
/** The snippet is in the head of a page, which is at its beginning. */
const MAX_PAGE_BYTES = 524_288

const listOrigins = (domain: string) => [`https://${domain}`, `http://${domain}`]

/** `originsOf` returns the URLs, without a path, at which a website may be. If none responds, the first failure is reported. */
export function createHomePageFetcher(
  privateTargets: PrivateTargets,
  { originsOf = listOrigins, timeoutMs = FETCH_TIMEOUT_MS } = {},
): FetchHomePage {
  return async (domain) => {
    const dispatcher = await openGuardedAgent(privateTargets)
    const options = {
      dispatcher,
      signal: AbortSignal.timeout(timeoutMs),
      maxBytes: MAX_PAGE_BYTES,
      accept: 'text/html',
      mayFollow: ({ hostname }: URL) =>
        originsOf(domain).some((origin) => isHostOf(hostname, new URL(origin).hostname)),
    }
    let firstFailure: HomePageResult | undefined
    try {
      for (const origin of originsOf(domain)) {
        const result = await fetchPage(`${origin}/`, options)
        if (result.kind !== 'failure') return result
        firstFailure ??= result
      }
      return firstFailure as HomePageResult
    } finally {
      await dispatcher.destroy()
    }
  }
}

const isHostOf = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

async function fetchPage(url: string, options: Parameters<typeof requestPage>[1]): Promise<HomePageResult> {
  try {
    const response = await requestPage(url, options)
    return 'redirectedTo' in response ? { kind: 'redirect', url, ...response } : { kind: 'page', page: response }
  } catch (error) {
    const fault = findNetworkFault(error)
    if (fault === undefined) throw error
    return { kind: 'failure', url, fault }
  }
}
