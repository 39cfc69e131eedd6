/** Sets cookies, and reads the session cookie. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { SESSION_LIFETIME_SECONDS } from '../shared/limits.ts'
import { isForOtherHost, isSecure } from './origin.ts'
import { urlPrefixOf } from './url-prefix.ts'

export const SESSION_COOKIE = 'belfry_session'

export function readSessionCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE] || undefined
}

interface Cookie {
  name: string
  value: string
  /** Zero deletes the cookie. */
  lifetimeSeconds: number
}

export function setCookie(
  config: Config,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, value, lifetimeSeconds }: Cookie,
): void {
  const setCookieHeader = stringifySetCookie({
    name,
    value,
    maxAge: lifetimeSeconds,
    // Another Belfry can run on the same host under another prefix, so the cookie is limited to our prefix.
    path: isForOtherHost(request) ? '/' : urlPrefixOf(config) || '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(config, request),
  })
  reply.header('set-cookie', setCookieHeader)
}

export function setSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply, token: string): void {
  setCookie(config, request, reply, { name: SESSION_COOKIE, value: token, lifetimeSeconds: SESSION_LIFETIME_SECONDS })
}

export function clearSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  setCookie(config, request, reply, { name: SESSION_COOKIE, value: '', lifetimeSeconds: 0 })
}
