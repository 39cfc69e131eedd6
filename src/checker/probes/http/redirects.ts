/** Builds a check's first request, and the next request after each redirect. */
import { removeBrackets } from '../../../lib/network-address.ts'
import { MAX_REDIRECTS } from '../../../shared/monitors.ts'
import type { HttpTarget } from '../probe.ts'

export interface HttpRequest {
  url: URL
  /** A host name, or an IP address without brackets. */
  host: string
  port: number
  method: string
  /** Headers set by the monitor's owner. They may contain secrets, so a redirect to another origin drops them. */
  headers: Readonly<Record<string, string>>
  /** Cookies that earlier responses of this check have set. */
  cookies: readonly { name: string; value: string }[]
  body: string | null
}

const redirectStatuses = new Set([301, 302, 303, 307, 308])
const bodyHeaderPattern = /^content-/i
const noHeaders: Readonly<Record<string, string>> = Object.freeze({})

export function createInitialRequest(target: HttpTarget): HttpRequest {
  const { method, headers, body } = target.http
  return createRequest(new URL(target.url), method, headers, body)
}

function createRequest(url: URL, method: string, headers: HttpRequest['headers'], body: string | null): HttpRequest {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { url, host: removeBrackets(url.hostname), port, method, headers, cookies: [], body }
}

export function isRedirect(status: number): boolean {
  return redirectStatuses.has(status)
}

export interface Redirect {
  status: number
  location: string | undefined
  /** How many redirects the check has followed before this one. */
  followedCount: number
}

/** Returns the request to send next, or a sentence that says why the redirect cannot be followed. */
export function followRedirect(
  request: HttpRequest,
  { status, location, followedCount }: Redirect,
): HttpRequest | string {
  if (followedCount >= MAX_REDIRECTS) return `Redirected more than ${MAX_REDIRECTS} times`
  if (location === undefined) return `Status ${status} without a Location header`
  const url = URL.parse(decodeLocation(location), request.url)
  if (url === null) return `Status ${status} with an invalid Location header`
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `Redirected to a URL with the scheme ${url.protocol.slice(0, -1)}, expected http or https`
  }
  url.username = ''
  url.password = ''
  const isSameOrigin = url.origin === request.url.origin
  const headers = isSameOrigin ? request.headers : noHeaders
  if (changesToGet(request.method, status)) return createRequest(url, 'GET', withoutBodyHeaders(headers), null)
  // Browsers and curl would send the body again, but it can contain credentials that the new origin must not learn. A
  // request without the body would not test what the monitor's owner asked for. So the check fails.
  if (!isSameOrigin && request.body !== null) {
    return `Status ${status} redirects to ${url.origin}, but the body is only sent to ${request.url.origin}`
  }
  return createRequest(url, request.method, headers, request.body)
}

/** Whether the request after a redirect uses GET instead of `method`. Applies the same rules as browsers. */
function changesToGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return method === 'POST' && (status === 301 || status === 302)
}

function withoutBodyHeaders(headers: HttpRequest['headers']): HttpRequest['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !bodyHeaderPattern.test(name)))
}

/** Node decodes header bytes as Latin-1, but servers that do not escape a URL send it as UTF-8. */
function decodeLocation(location: string): string {
  return Buffer.from(location, 'latin1').toString('utf8')
}
