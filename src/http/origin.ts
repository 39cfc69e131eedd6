/** Where a request came from, and under which address we answer it. */
import { isIPv6, type Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

export function baseUrl(config: Config, request: FastifyRequest): string {
  return config.url ?? `${request.protocol}://${request.host || hostOf(request.socket)}`
}

/** Clients of HTTP/1.0 may leave out whom they mean. */
function hostOf({ localAddress = '', localPort }: Socket): string {
  return `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${localPort}`
}

/** A page of another site made the browser send this. Programs send neither header and pass. */
export function isForeign(config: Config, request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const origin = request.headers.origin
  if (origin === undefined) return false
  const from = URL.parse(origin)
  if (from === null) return true
  // Without BELFRY_URL only the host is compared: a proxy may end TLS without telling us.
  return config.url === undefined ? from.host !== request.host : from.origin !== new URL(config.url).origin
}

export function isSecure(config: Config, request: FastifyRequest): boolean {
  if (config.url !== undefined) return config.url.startsWith('https:')
  // Without the header no proxy has to be vetted, which costs more than the rest of this hook.
  return request.headers['x-forwarded-proto'] !== undefined && request.protocol === 'https'
}
