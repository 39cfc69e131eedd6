/** Requests a minute, by key, by user or by address. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { clientNetworkOf } from '../lib/network-address.ts'
import { Problem } from '../lib/problem.ts'
import type { Caller } from '../storage/caller.ts'
import type { RouteDeps } from './route-deps.ts'

export function limiter({ config, counter, secret }: RouteDeps) {
  const limit = { count: config.rateLimit, windowSeconds: 60 }

  function take(name: string, reply: FastifyReply): void {
    if (limit.count === 0) return
    const taken = counter.take(name, limit)
    reply.header('x-ratelimit-limit', limit.count)
    reply.header('x-ratelimit-remaining', taken.remaining)
    reply.header('x-ratelimit-reset', taken.resetAt)
    if (taken.allowed) return
    throw new Problem(
      'rate_limited',
      `At most ${limit.count} requests a minute. Try again in ${taken.retryAfterSeconds} s.`,
      {
        headers: { 'retry-after': String(taken.retryAfterSeconds) },
      },
    )
  }

  return {
    takeForAddress(request: FastifyRequest, reply: FastifyReply): void {
      take(`address:${secret.hmac('addresses', clientNetworkOf(request.ip)).toString('base64url')}`, reply)
    },
    takeForCaller(caller: Caller, reply: FastifyReply): void {
      take(caller.kind === 'key' ? `key:${caller.keyId}` : `user:${caller.userId}`, reply)
    },
  }
}
