import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SESSION_SECONDS } from '../accounts/sign-in.ts'
import type { Config } from '../config.ts'
import { isSecure } from './origin.ts'

export const SESSION_COOKIE = 'belfry_session'

function options(config: Config, request: FastifyRequest): CookieSerializeOptions {
  return { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(config, request) }
}

export function setSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply, token: string): void {
  reply.setCookie(SESSION_COOKIE, token, { ...options(config, request), maxAge: SESSION_SECONDS })
}

export function clearSessionCookie(config: Config, request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(SESSION_COOKIE, options(config, request))
}
