/** Sets cookies, and reads the session cookie. */
import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { SESSION_LIFETIME_SECONDS } from '../shared/limits.ts'
import { isForOtherHost, isSecure } from './origin.ts'
import { urlPrefixOf } from './url-prefix.ts'

export const SESSION_COOKIE = 'belfry_session'

/** The value of the session cookie: the token, and the team that the session chose last, if it chose one. */
export interface SessionCookie {
  token: string
  /**
   * Only tells other nodes that what they remember about the session is out of date. The database knows in which team
   * the session acts.
   */
  teamHint: string | undefined
}

export function readSessionCookie(request: FastifyRequest): SessionCookie | undefined {
  const { cookie } = request.headers
  const value = cookie === undefined ? undefined : parseCookie(cookie)[SESSION_COOKIE]
  if (value === undefined || value === '') return undefined
  const [token = '', teamHint] = value.split('.', 2)
  return { token, teamHint }
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

export function setSessionCookie(
  config: Config,
  request: FastifyRequest,
  reply: FastifyReply,
  { token, teamHint }: SessionCookie,
): void {
  const value = teamHint === undefined ? token : `${token}.${teamHint}`
  setCookie(config, request, reply, { name: SESSION_COOKIE, value, lifetimeSeconds: SESSION_LIFETIME_SECONDS })
}

/** Call it when a session starts. */
export function setNewSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply, token: string): void {
  setSessionCookie(config, request, reply, { token, teamHint: undefined })
  reply.header('cache-control', 'no-store')
}

export function clearSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  setCookie(config, request, reply, { name: SESSION_COOKIE, value: '', lifetimeSeconds: 0 })
}
