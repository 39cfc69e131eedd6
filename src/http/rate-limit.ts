/** Limits requests per minute by API key, by user and by client address. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { toClientNetwork } from '../lib/network-address.ts'
import { type Problem, rateLimited } from '../lib/problem.ts'
import { type RateLimit, type RateLimitStatus, WindowCounter } from '../lib/window-counter.ts'
import type { Caller } from '../storage/caller.ts'
import type { AddressLimit } from './access.ts'
import type { RouteDeps } from './route-deps.ts'

/**
 * One address can send this many requests a minute for files and pages, and as many for health checks. If
 * BELFRY_RATE_LIMIT is higher, it applies instead. The limit is high because all visitors behind a proxy that is not
 * trusted share its address, and load balancers poll every second.
 */
const MIN_FILE_LIMIT = 6_000

/**
 * A user can have 1,000 API keys, each with its own limit. All keys and sessions of a user together can send this many
 * times as many requests as one key.
 */
const USER_LIMIT_MULTIPLE = 10

export function createRateLimiter({ clock, config, counter, secret }: RouteDeps) {
  const limit = { count: config.rateLimit, windowSeconds: 60 }
  const userLimit = { count: USER_LIMIT_MULTIPLE * config.rateLimit, windowSeconds: 60 }
  const fileLimit = { count: Math.max(MIN_FILE_LIMIT, config.rateLimit), windowSeconds: 60 }
  /** Each node counts only the requests that it receives. Shared counts would need a database row for every visitor. */
  const fileCounter = new WindowCounter(clock)
  /**
   * The last address of each open connection, with its HMAC. Computing the HMAC for every request would take longer
   * than the rest of the limiter.
   */
  const lastAddresses = new WeakMap<object, { ip: string | undefined; hmac: string }>()

  function hashAddress({ ip, socket }: FastifyRequest): string {
    const lastAddress = lastAddresses.get(socket)
    if (lastAddress !== undefined && lastAddress.ip === ip) return lastAddress.hmac
    const hmac = secret.hmac('addresses', toClientNetwork(ip)).toString('base64url')
    lastAddresses.set(socket, { ip, hmac })
    return hmac
  }

  /** `sender` is a part of the message that says which limit was exceeded, such as "with this API key". */
  function countRequest(counterName: string, sender: string, reply: FastifyReply): void {
    const status = counter.take(counterName, limit)
    reply.header('x-ratelimit-limit', limit.count)
    reply.header('x-ratelimit-remaining', status.remaining)
    reply.header('x-ratelimit-reset', status.resetAt)
    if (!status.allowed) throw tooManyRequests(limit, sender, status)
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
      if (addressLimit === 'api') countRequest(`address:${addressHmac}`, 'from this IP address', reply)
      else countFile(`${addressLimit}:${addressHmac}`)
    },
    limitByCaller({ kind, keyId, userId }: Caller, reply: FastifyReply): void {
      if (limit.count === 0) return
      if (kind === 'key') countRequest(`key:${keyId}`, 'with this API key', reply)
      else countRequest(`user:${userId}`, 'from your sessions', reply)
      const status = counter.take(`all of user:${userId}`, userLimit)
      if (!status.allowed) throw tooManyRequests(userLimit, 'from all your API keys and sessions together', status)
    },
  }
}

function tooManyRequests({ count }: RateLimit, sender: string, { retryAfterSeconds }: RateLimitStatus): Problem {
  return rateLimited(
    `More than ${count} requests per minute ${sender}. Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  )
}
