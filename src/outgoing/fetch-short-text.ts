/** Requests a short text, such as a token, from a URL that a user entered. The guard blocks private addresses. */
import type { ConnectorOptions } from './connector.ts'
import type { Guard } from './guard.ts'
import { findNetworkFault } from './network-fault.ts'
import { discardBody, readLimitedText } from './read-body.ts'

export type ShortTextResult =
  /** `body` is undefined if it is too long. */
  | { kind: 'response'; status: number; body: string | undefined }
  /** `location` is an absolute URL. */
  | { kind: 'redirect'; location: string }
  | { kind: 'failure'; cause: 'dns' | 'connect' | 'tls' | 'timeout' | 'blocked'; description: string }

/** Limits lookup, connection and response together. */
const FETCH_TIMEOUT_MS = 8_000
const MAX_BODY_BYTES = 1_000

/** Redirects are not followed. */
export async function fetchShortText(
  url: string,
  { guard, tls }: { guard: Guard; tls?: ConnectorOptions['tls'] },
): Promise<ShortTextResult> {
  // Load undici on first use, because it takes 10 MB of memory, and most servers never need it here.
  const [{ Agent, request }, { createConnector }] = await Promise.all([import('undici'), import('./connector.ts')])
  const connect = createConnector(guard, { timeoutMs: FETCH_TIMEOUT_MS, ...(tls !== undefined && { tls }) })
  const dispatcher = new Agent({ connect })
  try {
    const { statusCode, headers, body } = await request(url, {
      headers: { 'user-agent': 'Belfry', accept: 'text/plain' },
      dispatcher,
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    })
    const location = headers['location']
    if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
      discardBody(body)
      return { kind: 'redirect', location: URL.parse(location, url)?.href ?? location }
    }
    return { kind: 'response', status: statusCode, body: (await readLimitedText(body, MAX_BODY_BYTES))?.trim() }
  } catch (error) {
    const fault = findNetworkFault(error)
    if (fault === undefined) throw error
    return { kind: 'failure', ...fault }
  } finally {
    await dispatcher.destroy()
  }
}
