/** Where trackers send what they saw. Any page of any site may. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import { Type } from 'typebox'
import { probe } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { type DropReason, dropReasons } from '../model/drop-reasons.ts'
import type { Intake } from './intake.ts'
import { EventBody } from './schema.ts'

const exposed = 'X-Belfry-Dropped, Retry-After, X-Request-Id'
const openHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed,
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}

export function collectRoutes(app: App, intake: Intake): void {
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
          response: {
            202: Type.Null({
              description: 'Durable, or dropped',
              headers: {
                'X-Belfry-Dropped': { type: 'string', enum: [...dropReasons], description: 'Why it is not counted' },
              },
            }),
          },
        },
      },
      async (request: FastifyRequest, reply: FastifyReply) => {
        const reason = await intake(request.body as string | undefined, request)
        return reply.code(202).headers(acceptance(request.id, reason)).send()
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

function acceptance(id: string, reason: DropReason | undefined): Record<string, string> {
  const headers = { 'access-control-allow-origin': '*', 'x-request-id': id }
  return reason === undefined
    ? headers
    : { ...headers, 'x-belfry-dropped': reason, 'access-control-expose-headers': exposed }
}

/** The same past Fastify. */
export function collectShortcut(intake: Intake) {
  return {
    method: 'POST',
    url: '/api/event',
    headers: openHeaders,
    take: async (text: string, request: IncomingMessage, response: ServerResponse, id: string) => {
      const reason = await intake(text, request)
      response.writeHead(202, { ...acceptance(id, reason), 'content-length': 0 }).end()
    },
  }
}
