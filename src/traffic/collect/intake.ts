/** From a request to the collector: what was sent, by which address, and whether there were too many. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../config/config.ts'
import { addressName } from '../../lib/address-name.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Metrics } from '../../lib/metrics.ts'
import { tooMany } from '../../lib/problem.ts'
import type { Secret } from '../../lib/secret.ts'
import { type Limit, WindowCounter } from '../../lib/window-counter.ts'
import type { DropReason } from '../model/drop-reasons.ts'
import { addressOf } from './address.ts'
import { readEvent } from './body.ts'
import type { Collector } from './collector.ts'
import { headersOf } from './steps.ts'

/** More than a large office behind one address sends in its busiest minute. */
const ADDRESS_LIMIT: Limit = { count: 6_000, windowSeconds: 60 }
/** Of what waits, beside the body: the address, the browser, a few headers. */
const OVERHEAD_BYTES = 2_000

interface Needs {
  clock: Clock
  collector: Collector
  config: Config
  metrics: Metrics
  secret: Secret
}

interface From {
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

/** Resolves when it is durable, or with the reason for which it was dropped. */
export type Intake = (text: string | undefined, from: From) => Promise<DropReason | undefined>

export function makeIntake({ clock, collector, config, metrics, secret }: Needs): Intake {
  const proxies = config.trustedProxies.join('\n')
  // Of this node alone: between nodes every visitor's name would have to be settled.
  const counter = new WindowCounter(clock)

  function limit(address: string): void {
    if (config.rateLimit === 0) return
    const taken = counter.take(secret.hmac('addresses', addressName(address)).toString('base64url'), ADDRESS_LIMIT)
    if (!taken.allowed) throw tooMany('Too many events from one address.', taken.retryAfterSeconds)
  }

  function read(text: string | undefined) {
    try {
      return readEvent(text)
    } catch (error) {
      metrics.countEvent('malformed')
      throw error
    }
  }

  return async (text, from) => {
    const sent = read(text)
    const address = addressOf(from, proxies)
    limit(address)
    const arrival = {
      sent,
      at: clock.now().getTime(),
      address,
      userAgent: from.headers['user-agent'] ?? '',
      headers: headersOf(from.headers),
    }
    const reason = await collector.collect(arrival, (text?.length ?? 0) * sent.domains.length + OVERHEAD_BYTES)
    metrics.countEvent(reason ?? 'accepted')
    return reason
  }
}
