/** Tells whether a request is cross-site or secure, and finds the server's public URL. */
import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6, type Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { normalizeHost, removeBrackets } from '../lib/network-address.ts'
import { isHost } from './request-rules.ts'

type OriginRequest = Pick<FastifyRequest, 'protocol' | 'host' | 'headers' | 'socket'>

const otherHostRequests = new WeakSet<IncomingMessage>()

/**
 * Marks a request for the custom domain of a status page. For such a request, the server's own origin and scheme are
 * those of the host that the request names.
 */
export function noteOtherHost(request: IncomingMessage): void {
  otherHostRequests.add(request)
}

export const isForOtherHost = ({ raw }: FastifyRequest) => otherHostRequests.has(raw)

const findOwnUrl = ({ url }: Config, request: FastifyRequest) => (isForOtherHost(request) ? undefined : url)

export function getBaseUrl(config: Pick<Config, 'url'>, request: OriginRequest): string {
  if (config.url !== undefined) return config.url
  // A trusted proxy may pass on an X-Forwarded-Proto header of the client, which can have any content.
  const protocol = request.protocol === 'https' ? 'https' : 'http'
  return `${protocol}://${findHost(request) || formatLocalAddress(request.socket)}`
}

/**
 * Returns the X-Forwarded-Host header of a trusted proxy if it is valid, and otherwise the Host header, which is always
 * valid or empty.
 */
export function findHost(request: Pick<FastifyRequest, 'host' | 'headers'>): string {
  return isHost(request.host) ? request.host : (request.headers.host ?? '')
}

/** Returns the address of this server, for HTTP/1.0 clients, which may omit the Host header. */
function formatLocalAddress({ localAddress = '', localPort }: Socket): string {
  return `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`
}

/**
 * Whether a page of another site made the browser send this request. Programs other than browsers send neither Sec-Fetch-Site
 * nor Origin, so their requests don't count as cross-site.
 */
export function isCrossSite(config: Config, request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = request.headers.origin
  if (origin === undefined) return false
  const originUrl = URL.parse(origin)
  if (originUrl === null) return true
  const ownUrl = findOwnUrl(config, request)
  // Without a public URL, only host and port count, because a proxy may terminate TLS without an X-Forwarded-Proto header.
  const expectedUrl = URL.parse(ownUrl ?? `${originUrl.protocol}//${findHost(request)}`)
  const isOwn = expectedUrl !== null && isSameOrigin(originUrl, expectedUrl)
  return !isOwn && findAlternativeOrigin(config, request) === undefined
}

/**
 * Returns the origin of a page that this server served at an address other than its public URL, so that people can still
 * sign in if that URL doesn't work: at an IP address, at localhost, or where the URL was saved. At other names, a request
 * stays cross-site, because anybody can let a name of theirs point to this server.
 */
function findAlternativeOrigin({ url, signInOrigin }: Config, request: FastifyRequest): URL | undefined {
  const { origin } = request.headers
  if (url === undefined || origin === undefined || isForOtherHost(request)) return undefined
  const originUrl = URL.parse(origin)
  const requestUrl = originUrl && URL.parse(`${originUrl.protocol}//${findHost(request)}`)
  if (originUrl === null || requestUrl === null || !isSameOrigin(originUrl, requestUrl)) return undefined
  // At the host of the public URL, only its scheme is allowed: pages of the same host without TLS may be forged.
  if (originUrl.host === new URL(url).host) return undefined
  const isAddress = isIP(removeBrackets(originUrl.hostname)) !== 0 || originUrl.hostname === 'localhost'
  return isAddress || origin === signInOrigin ? originUrl : undefined
}

/**
 * The origin of our pages, for what browsers bind to an origin, such as passkeys. Without a public URL, the scheme is that of the page
 * which sent the request, because a proxy may terminate TLS without an X-Forwarded-Proto header.
 */
export function getPageOrigin(config: Pick<Config, 'url'>, request: OriginRequest): string {
  if (config.url !== undefined) return new URL(config.url).origin
  const { origin } = request.headers
  const originUrl = origin === undefined ? null : URL.parse(origin)
  const requestUrl = originUrl && URL.parse(`${originUrl.protocol}//${findHost(request)}`)
  if (originUrl !== null && requestUrl !== null && isSameOrigin(originUrl, requestUrl)) return originUrl.origin
  return new URL(getBaseUrl(config, request)).origin
}

function isSameOrigin(a: URL, b: URL): boolean {
  return a.protocol === b.protocol && a.port === b.port && normalizeHost(a.hostname) === normalizeHost(b.hostname)
}

export function isSecure(config: Config, request: FastifyRequest): boolean {
  const ownUrl = findAlternativeOrigin(config, request)?.origin ?? findOwnUrl(config, request)
  if (ownUrl !== undefined) return ownUrl.startsWith('https:')
  // `request.protocol` has to check whether the proxy is trusted, which is slow, so look for the header first.
  return request.headers['x-forwarded-proto'] !== undefined && request.protocol === 'https'
}
