/** Where trackers send what they saw. Any page of any site may. */
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { Type } from 'typebox'
import { probe } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { addressName } from '../../http/limits.ts'
import type { Services } from '../../http/services.ts'
import { tooMany } from '../../lib/problem.ts'
import { type Limit, WindowCounter } from '../../lib/window-counter.ts'
import { addressOf } from './address.ts'
import { readEvent } from './body.ts'
import { EventBody } from './schema.ts'
import { type DropReason, headersOf } from './steps.ts'

/** More than a large office behind one address sends in its busiest minute. */
const ADDRESS_LIMIT: Limit = { count: 6_000, windowSeconds: 60 }
/** Of what waits, beside the body: the address, the browser, a few headers. */
const OVERHEAD_BYTES = 2_000

const exposed = 'X-Belfry-Dropped, Retry-After, X-Request-Id'
const openHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed,
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}

export function collectRoutes(app: App, services: Services): void {
  const { clock, collector, config, metrics, secret } = services
  const proxies = config.trustedProxies.join('\n')
  // Of this node alone: between nodes every visitor's name would have to be settled.
  const counter = new WindowCounter(clock)

  function limit(address: string): void {
    if (config.rateLimit === 0) return
    const taken = counter.take(secret.hmac('addresses', addressName(address)).toString('base64url'), ADDRESS_LIMIT)
    if (!taken.allowed) throw tooMany('Too many events from one address.', taken.retryAfterSeconds)
  }

  // Pages may read what went wrong.
  const open: RouteShorthandOptions['onError'] = (_request, reply, _error, done) => {
    reply.headers(openHeaders)
    done()
  }

  // Bodies are read whatever they are called: pages of other sites may send plain text only.
  void app.register(async (events) => {
    events.removeAllContentTypeParsers()
    events.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))

    events.post(
      '/api/event',
      {
        config: { access: probe },
        onError: open,
        schema: {
          tags: ['Traffic'],
          summary: 'Note an event',
          description:
            'What trackers send: JSON as application/json or text/plain, the body of Plausible’s events. Answered when it is durable. An event that is not counted is accepted too, and the header X-Belfry-Dropped says why.',
          ownBody: EventBody,
          response: { 202: Type.Null({ description: 'Durable, or dropped for the reason in X-Belfry-Dropped' }) },
        },
      },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const text = request.body as string | undefined
        const sent = readEvent(text)
        const address = addressOf(request, proxies)
        limit(address)
        const arrival = {
          sent,
          at: clock.now().getTime(),
          address,
          userAgent: request.headers['user-agent'] ?? '',
          headers: headersOf(request.headers),
        }
        const reason = await collector.collect(arrival, (text?.length ?? 0) * sent.domains.length + OVERHEAD_BYTES)
        metrics.countEvent(reason ?? 'accepted')
        accept(request, reply, reason)
        return reply
      },
    )

    events.options('/api/event', { config: { access: probe }, schema: { hide: true } }, async (_request, reply) =>
      reply
        .code(204)
        .headers({
          ...openHeaders,
          'access-control-allow-methods': 'POST, OPTIONS',
          'access-control-allow-headers': 'Content-Type',
          'access-control-max-age': '86400',
        })
        .send(),
    )
  })
}

/** By hand, with the headers that matter: it is the answer that is given most often by far. */
function accept(request: FastifyRequest, reply: FastifyReply, reason: DropReason | undefined): void {
  reply.hijack()
  const headers = { 'access-control-allow-origin': '*', 'x-request-id': request.id, 'content-length': 0 }
  const dropped = { 'x-belfry-dropped': reason, 'access-control-expose-headers': exposed }
  reply.raw.writeHead(202, reason === undefined ? headers : { ...headers, ...dropped }).end()
}
