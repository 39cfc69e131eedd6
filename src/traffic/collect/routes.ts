/** POST /api/event, where trackers on pages of any origin send their events. */
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { anyoneWithOwnLimit } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import type { FastPath } from '../../http/fast-path.ts'
import { readWholeBody } from '../../http/read-body.ts'
import { Type } from '../../lib/type.ts'
import { type DropReason, dropReasons } from '../model/drop-reasons.ts'
import type { EventIntake } from './intake.ts'
import { EventBody } from './schema.ts'

const exposedHeaders = 'X-Belfry-Dropped, Retry-After, X-Request-Id'
const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}

export function collectRoutes(app: App, intake: EventIntake): void {
  // Lets pages of other origins read error responses.
  const allowAnyOrigin: RouteShorthandOptions['onError'] = (_request, reply, _error, done) => {
    reply.headers(crossOriginHeaders)
    done()
  }

  const clientIps = new WeakMap<FastifyRequest, string>()

  // The body is JSON, whatever its content type says. Pages send text/plain, because JSON as the content type would
  // cause a CORS preflight.
  void app.register(async (events) => {
    events.removeAllContentTypeParsers()
    events.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))

    events.post(
      '/api/event',
      {
        config: { access: anyoneWithOwnLimit },
        onRequest: async (request) => void clientIps.set(request, intake.admit(request)),
        onError: allowAnyOrigin,
        schema: {
          tags: ['Traffic'],
          operationId: 'sendEvent',
          summary: 'Collect an event',
          description:
            'Trackers send JSON as application/json or text/plain, in the format of Plausible’s events. The response follows once the event is stored durably. Events that are not counted get the same status, and the X-Belfry-Dropped header says why. After 503 or without a response, send the event again with the same `id`: it counts once.',
          selfParsedBody: EventBody,
          response: {
            202: Type.Null({
              description: 'The event is stored, or dropped',
              headers: {
                'X-Belfry-Dropped': {
                  type: 'string',
                  enum: [...dropReasons],
                  description: 'Why the event is not counted',
                },
              },
            }),
          },
        },
      },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const clientIp = clientIps.get(request) as string
        const dropReason = await intake.collect(request.body as string | undefined, request, clientIp)
        return reply.code(202).headers(createAcceptedHeaders(request.id, dropReason)).send()
      },
    )

    events.options(
      '/api/event',
      { config: { access: anyoneWithOwnLimit }, schema: { hide: true } },
      async (_request, reply) =>
        reply
          .code(204)
          .headers({
            ...crossOriginHeaders,
            'access-control-allow-methods': 'POST, OPTIONS',
            'access-control-allow-headers': 'Content-Type',
            'access-control-max-age': '86400',
          })
          .send(),
    )
  })
}

function createAcceptedHeaders(requestId: string, dropReason: DropReason | undefined): Record<string, string> {
  const headers = { 'access-control-allow-origin': '*', 'x-request-id': requestId }
  return dropReason === undefined
    ? headers
    : { ...headers, 'x-belfry-dropped': dropReason, 'access-control-expose-headers': exposedHeaders }
}

const eventMatch = { route: '/api/event' }

/** Handles POST /api/event like the route above, but without Fastify. Pass it to `addFastPath`. */
export function createEventFastPath(intake: EventIntake): FastPath<typeof eventMatch, string> {
  return {
    match: (method, url) => (url === '/api/event' && method === 'POST' ? eventMatch : undefined),
    headers: crossOriginHeaders,
    admit: (request) => intake.admit(request),
    readBody: readWholeBody,
    handle: async ({ request, response, requestId, admission: clientIp, body }) => {
      const dropReason = await intake.collect(body, request, clientIp)
      response.writeHead(202, { ...createAcceptedHeaders(requestId, dropReason), 'content-length': 0 }).end()
    },
  }
}
