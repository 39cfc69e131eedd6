/** Asks RDAP servers about the registration of a domain (RFC 9082). */
import type { Dispatcher } from 'undici'
import type { Clock } from '../../../lib/clock.ts'
import { parseRetryAfter } from '../../../lib/retry-after.ts'
import type { Guard } from '../../../outgoing/guard.ts'
import { findNetworkFault } from '../../../outgoing/network-fault.ts'
import { readLimitedText } from '../../../outgoing/read-body.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/time.ts'
import type { Inconclusive } from '../probe.ts'
import { type DomainRegistration, isRdapError, readRegistration } from './registration.ts'
import { ServerLimits } from './server-limits.ts'

const REQUEST_TIMEOUT_MS = 10 * SECOND_MS
const MAX_REDIRECTS = 5
/** Responses usually have 3 to 30 kB. Parsing a hostile one of this length takes up to 10 ms. */
const MAX_BODY_BYTES = 128 * 1024

const DEFAULT_REQUEST_GAP_MS = 250
/** After a problem with a server, Belfry sends it no requests for this long, unless the server sends `Retry-After`. */
const UNREACHABLE_PAUSE_MS = MINUTE_MS
const SERVER_ERROR_PAUSE_MS = 5 * MINUTE_MS
const RATE_LIMIT_PAUSE_MS = 10 * MINUTE_MS
const MAX_PAUSE_MS = 12 * HOUR_MS
/** How long to wait before asking again about a domain after a response that can't be understood. */
const INVALID_RESPONSE_PAUSE_MS = 10 * MINUTE_MS

export interface RdapClientOptions {
  guard: Guard
  clock: Clock
  /** `BELFRY_RDAP_URL`. The operator has chosen its address, so the guard doesn't vet it. */
  operatorUrl: string | undefined
  /** Time between the starts of two requests to a server. */
  requestGapMs?: number
}

/** `registration` is null if the domain isn't registered. */
export type RdapAnswer = { registration: DomainRegistration | null; responseMs: number }
type RdapProblem = Required<Inconclusive>

interface RdapResponse {
  status: number
  headers: Dispatcher.ResponseData['headers']
  /** The body; undefined if it is longer than `MAX_BODY_BYTES`. */
  text: string | undefined
}

export class RdapClient {
  readonly #options: RdapClientOptions
  readonly #limits: ServerLimits
  readonly #closing = new AbortController()
  #agents: Promise<{ guarded: Dispatcher; unguarded: Dispatcher }> | undefined

  constructor(options: RdapClientOptions) {
    this.#options = options
    this.#limits = new ServerLimits(options.clock, options.requestGapMs ?? DEFAULT_REQUEST_GAP_MS)
  }

  /** `server` is a base URL with a slash at the end. `teamId` is the owner of the check: users take turns. */
  async ask(domain: string, server: string, teamId: number): Promise<RdapAnswer | RdapProblem> {
    let url = new URL(`domain/${domain}`, server)
    let responseMs = 0
    for (let redirectCount = 0; redirectCount <= MAX_REDIRECTS; redirectCount++) {
      const { host } = url
      const response = await this.#limits.run(host, teamId, async () => {
        const startedAt = performance.now()
        const result = await this.#request(url)
        responseMs += performance.now() - startedAt
        return result
      })
      if ('inconclusive' in response) return response
      const next = findRedirect(response, url)
      if (next === undefined) return this.#toAnswer(response, domain, host, Math.round(responseMs))
      if (typeof next === 'string') return createProblem(host, next, INVALID_RESPONSE_PAUSE_MS)
      url = next
    }
    return createProblem(url.host, `redirected more than ${MAX_REDIRECTS} times`, INVALID_RESPONSE_PAUSE_MS)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    const agents = await this.#agents
    await Promise.all([agents?.guarded.destroy(), agents?.unguarded.destroy()])
  }

  #toAnswer(response: RdapResponse, domain: string, host: string, responseMs: number): RdapAnswer | RdapProblem {
    const { status, headers, text } = response
    if (status === 404 && text !== undefined && isRdapError(text)) return { registration: null, responseMs }
    if (status === 429) return this.#pause(host, 'limits how often it can be asked', RATE_LIMIT_PAUSE_MS, headers)
    if (status >= 500) return this.#pause(host, `has a problem (status ${status})`, SERVER_ERROR_PAUSE_MS, headers)
    if (status !== 200) return createProblem(host, `responded with status ${status}`, INVALID_RESPONSE_PAUSE_MS)
    const registration = text === undefined ? undefined : readRegistration(text, domain)
    if (registration !== undefined) return { registration, responseMs }
    return createProblem(host, `sent no valid response about ${domain}`, INVALID_RESPONSE_PAUSE_MS)
  }

  #pause(host: string, problem: string, defaultMs: number, headers: RdapResponse['headers'] = {}): RdapProblem {
    const seconds = parseRetryAfter(headers)
    const pauseMs = seconds === undefined ? defaultMs : Math.min(MAX_PAUSE_MS, Math.max(MINUTE_MS, seconds * SECOND_MS))
    this.#limits.pause(host, pauseMs, problem)
    return createProblem(host, problem, pauseMs)
  }

  async #request(url: URL): Promise<RdapResponse | RdapProblem> {
    const pause = this.#limits.findPause(url.host)
    if (pause !== undefined) return createProblem(url.host, pause.reason, pause.remainingMs)
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)])
    try {
      const dispatcher = await this.#findAgent(url)
      const { request } = await import('undici')
      const headers = { 'user-agent': 'Belfry', accept: 'application/rdap+json' }
      const { statusCode, headers: responseHeaders, body } = await request(url, { headers, dispatcher, signal })
      return { status: statusCode, headers: responseHeaders, text: await readLimitedText(body, MAX_BODY_BYTES) }
    } catch (error) {
      const reason = signal.aborted
        ? 'no response in time'
        : (findNetworkFault(error)?.description ?? 'the response is not valid HTTP')
      return this.#pause(url.host, `can't be reached: ${reason}`, UNREACHABLE_PAUSE_MS)
    }
  }

  async #findAgent(url: URL): Promise<Dispatcher> {
    this.#agents ??= openAgents(this.#options.guard)
    const { guarded, unguarded } = await this.#agents
    const { operatorUrl } = this.#options
    return operatorUrl !== undefined && url.origin === new URL(operatorUrl).origin ? unguarded : guarded
  }
}

/** Loads undici on first use: it takes 10 MB, and many Belfry servers check no domain. */
async function openAgents(guard: Guard) {
  const [{ Agent }, { createConnector }] = await Promise.all([
    import('undici'),
    import('../../../outgoing/connector.ts'),
  ])
  return {
    guarded: new Agent({ connect: createConnector(guard, { timeoutMs: REQUEST_TIMEOUT_MS }) }),
    unguarded: new Agent({ connect: { timeout: REQUEST_TIMEOUT_MS } }),
  }
}

/** Returns the URL to ask next, a problem of the redirect, or undefined if the response isn't a redirect. */
function findRedirect({ status, headers }: RdapResponse, url: URL): URL | string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined
  const next = typeof headers['location'] === 'string' ? URL.parse(headers['location'], url) : null
  if (next === null) return 'redirected without a valid address'
  // Only an operator's server may use http. Otherwise anybody on the network path could change the expiry date.
  const isAllowed = next.protocol === 'https:' || (next.protocol === 'http:' && url.protocol === 'http:')
  return isAllowed ? next : 'redirected to an address without TLS'
}

function createProblem(host: string, problem: string, retryAfterMs: number): RdapProblem {
  return { inconclusive: `The RDAP server ${host} ${problem}`, retryAfterMs }
}
