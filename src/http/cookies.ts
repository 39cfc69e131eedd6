/** Reading and writing cookies, and the session cookie. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { SESSION_SECONDS } from '../shared/session.ts'
import { isSecure } from './origin.ts'
import { prefixOf } from './prefix.ts'

export const SESSION_COOKIE = 'belfry_session'

const pattern = new RegExp(`(?:^|;) *${SESSION_COOKIE}=([^; ]+)`)

export function readSessionCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : pattern.exec(cookie)?.[1]
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
  life: string,
): void {
  const secure = isSecure(config, request) ? '; Secure' : ''
  // Another Belfry may be on the same host, under another prefix.
  const path = prefixOf(config) || '/'
  reply.header('set-cookie', `${name}=${value}; ${life}; Path=${path}; HttpOnly; SameSite=Lax${secure}`)
}

export function setSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply, token: string): void {
  setCookie(config, request, reply, { name: SESSION_COOKIE, value: token }, `Max-Age=${SESSION_SECONDS}`)
}

export function clearSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  const life = 'Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT'
  setCookie(config, request, reply, { name: SESSION_COOKIE, value: '' }, life)
}
