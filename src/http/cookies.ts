/** The one cookie there is. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_SECONDS } from '../accounts/sign-in.ts'
import type { Config } from '../config.ts'
import { isSecure } from './origin.ts'

export const SESSION_COOKIE = 'belfry_session'

const pattern = new RegExp(`(?:^|;) *${SESSION_COOKIE}=([^; ]+)`)

export function readSessionCookie(request: FastifyRequest): string | undefined {
  const { cookie } = request.headers
  return cookie === undefined ? undefined : pattern.exec(cookie)?.[1]
}

function setCookie(config: Config, request: FastifyRequest, reply: FastifyReply, value: string, life: string): void {
  const secure = isSecure(config, request) ? '; Secure' : ''
  reply.header('set-cookie', `${SESSION_COOKIE}=${value}; ${life}; Path=/; HttpOnly; SameSite=Lax${secure}`)
}

export function setSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply, token: string): void {
  setCookie(config, request, reply, token, `Max-Age=${SESSION_SECONDS}`)
}

export function clearSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  setCookie(config, request, reply, '', 'Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT')
}
