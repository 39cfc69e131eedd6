/** Tells whether a request is cross-site or secure, and finds the server's public URL. */
import { isIPv6, type Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

export function getBaseUrl(config: Config, request: FastifyRequest): string {
  return config.url ?? `${request.protocol}://${request.host || formatLocalAddress(request.socket)}`
}

/** For HTTP/1.0 clients, which may omit the Host header. */
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
  // Without BELFRY_URL we compare only the host, because a proxy may terminate TLS without an X-Forwarded-Proto header.
  return config.url === undefined ? originUrl.host !== request.host : originUrl.origin !== new URL(config.url).origin
}

export function isSecure(config: Config, request: FastifyRequest): boolean {
  if (config.url !== undefined) return config.url.startsWith('https:')
  // `request.protocol` has to check whether the proxy is trusted, which is slow, so look for the header first.
  return request.headers['x-forwarded-proto'] !== undefined && request.protocol === 'https'
}
