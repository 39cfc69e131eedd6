/** Sets cookies, and reads the session cookie. Our values are base64url and need no escaping, so we use no cookie library. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { SESSION_LIFETIME_SECONDS } from '../shared/limits.ts'
import { isForOtherHost, isSecure } from './origin.ts'
import { urlPrefixOf } from './url-prefix.ts'

export const SESSION_COOKIE = 'belfry_session'

const sessionCookiePattern = new RegExp(`(?:^|;) *${SESSION_COOKIE}=([^; ]+)`)

export function readSessionCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : sessionCookiePattern.exec(cookie)?.[1]
}

interface Cookie {
  name: string
  value: string
}

export function setCookie(
  config: Config,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, value }: Cookie,
  lifetimeAttributes: string,
): void {
  const secureAttribute = isSecure(config, request) ? '; Secure' : ''
  // Another Belfry can run on the same host under another prefix, so the cookie is limited to our prefix.
  const path = isForOtherHost(request) ? '/' : urlPrefixOf(config) || '/'
  reply.header(
    'set-cookie',
    `${name}=${value}; ${lifetimeAttributes}; Path=${path}; HttpOnly; SameSite=Lax${secureAttribute}`,
  )
}

export function setSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply, token: string): void {
  setCookie(config, request, reply, { name: SESSION_COOKIE, value: token }, `Max-Age=${SESSION_LIFETIME_SECONDS}`)
}

export function clearSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  const lifetimeAttributes = 'Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  setCookie(config, request, reply, { name: SESSION_COOKIE, value: '' }, lifetimeAttributes)
}
