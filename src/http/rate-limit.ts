/** Limits requests per minute by API key, user or client address. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { toClientNetwork } from '../lib/network-address.ts'
import { Problem } from '../lib/problem.ts'
import type { Caller } from '../storage/caller.ts'
import type { RouteDeps } from './route-deps.ts'

export function createRateLimiter({ config, counter, secret }: RouteDeps) {
  const limit = { count: config.rateLimit, windowSeconds: 60 }

  function countRequest(counterName: string, reply: FastifyReply): void {
    if (limit.count === 0) return
    const status = counter.take(counterName, limit)
    reply.header('x-ratelimit-limit', limit.count)
    reply.header('x-ratelimit-remaining', status.remaining)
    reply.header('x-ratelimit-reset', status.resetAt)
    if (status.allowed) return
    throw new Problem(
      'rate_limited',
      `More than ${limit.count} requests per minute. Try again in ${status.retryAfterSeconds} s.`,
      {
        headers: { 'retry-after': String(status.retryAfterSeconds) },
      },
    )
  }

  return {
    limitByAddress(request: FastifyRequest, reply: FastifyReply): void {
      countRequest(`address:${secret.hmac('addresses', toClientNetwork(request.ip)).toString('base64url')}`, reply)
    },
    limitByCaller(caller: Caller, reply: FastifyReply): void {
      countRequest(caller.kind === 'key' ? `key:${caller.keyId}` : `user:${caller.userId}`, reply)
    },
  }
}
