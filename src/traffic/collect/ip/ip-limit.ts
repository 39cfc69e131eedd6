/** Limits how many events one IP address can send. */

import type { Clock } from '../../../lib/clock.ts'
import { toClientNetwork } from '../../../lib/network-address.ts'
import { rateLimited } from '../../../lib/problem.ts'
import type { Secret } from '../../../lib/secret.ts'
import { type RateLimit, WindowCounter } from '../../../lib/window-counter.ts'

/** More than a large office behind one IP address sends in its busiest minute. */
const IP_LIMIT: RateLimit = { count: 6_000, windowSeconds: 60 }

/** Each node counts only the events that it receives. Shared counts would need a database row for every visitor. */
export function createIpLimit(clock: Clock, secret: Secret): (clientIp: string) => void {
  const counter = new WindowCounter(clock)
  return (clientIp) => {
    const key = secret.hmac('addresses', toClientNetwork(clientIp)).toString('base64url')
    const { allowed, retryAfterSeconds } = counter.take(key, IP_LIMIT)
    if (!allowed) throw rateLimited('Too many events from this IP address. Try again later.', retryAfterSeconds)
  }
}
