/** Limits requests per minute by API key, user or client address. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { toClientNetwork } from '../lib/network-address.ts'
import { Problem, rateLimited } from '../lib/problem.ts'
import { WindowCounter } from '../lib/window-counter.ts'
import type { Caller } from '../storage/caller.ts'
import type { AddressLimit } from './access.ts'
import type { RouteDeps } from './route-deps.ts'

/**
 * Requests a minute from one address: this many for files and pages together, and as many for health checks. It is high because all
 * visitors behind a proxy that is not trusted share its address, and load balancers poll every second.
 */
const MIN_FILE_LIMIT = 6_000

export function createRateLimiter({ clock, config, counter, secret }: RouteDeps) {
  const limit = { count: config.rateLimit, windowSeconds: 60 }
  const fileLimit = { count: Math.max(MIN_FILE_LIMIT, config.rateLimit), windowSeconds: 60 }
  /** Each node counts only the requests that it receives. Shared counts would need a database row for every visitor. */
  const fileCounter = new WindowCounter(clock)
  /** The last address of each open connection. Computing its HMAC would take longer than all else that the limit does. */
  const lastAddresses = new WeakMap<object, { ip: string; hmac: string }>()

  function hashAddress({ ip, socket }: FastifyRequest): string {
    const lastAddress = lastAddresses.get(socket)
    if (lastAddress?.ip === ip) return lastAddress.hmac
    const hmac = secret.hmac('addresses', toClientNetwork(ip)).toString('base64url')
    lastAddresses.set(socket, { ip, hmac })
    return hmac
  }

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

  function countFile(counterName: string): void {
    const { allowed, retryAfterSeconds } = fileCounter.take(counterName, fileLimit)
    if (!allowed)
      throw rateLimited(
        `Too many requests from this IP address. Try again in ${retryAfterSeconds} s.`,
        retryAfterSeconds,
      )
  }

  return {
    limitByAddress(request: FastifyRequest, reply: FastifyReply, addressLimit: AddressLimit): void {
      if (limit.count === 0 || addressLimit === 'own') return
      const addressHmac = hashAddress(request)
      if (addressLimit === 'api') countRequest(`address:${addressHmac}`, reply)
      else countFile(`${addressLimit}:${addressHmac}`)
    },
    limitByCaller(caller: Caller, reply: FastifyReply): void {
      countRequest(caller.kind === 'key' ? `key:${caller.keyId}` : `user:${caller.userId}`, reply)
    },
  }
}
