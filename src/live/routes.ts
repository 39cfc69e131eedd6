import { Type } from 'typebox'
import { session } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import type { LiveHub } from './hub.ts'
import { LiveQuery } from './schema.ts'

const description = `Server-sent events, for as long as the connection and the session last. A comment comes every 15 seconds.

* \`monitors\`: a list of \`{id, status, status_changed_at, last_checked_at, last_response_ms, last_error}\`, one for each monitor whose status changed; at first those of the last 20 seconds
* \`visitors\`: an object with the visitors of the last five minutes by website id, at first of every website that has any, then of those whose number changed
* \`check\`, with \`monitor\`: one such record after every check of it
* \`traffic\`, with \`website\`: \`{website_id}\` when something was counted, every few seconds at most

Whoever connects again asks for what may have happened meanwhile. At most 20 streams a user.`

const example = `event: monitors
data: [{"id":3,"status":"down","status_changed_at":"2026-01-05T10:00:00.000Z","last_checked_at":"2026-01-05T10:00:00.000Z","last_response_ms":null,"last_error":"connection refused"}]

event: visitors
data: {"12":3}

`

export function liveRoutes(app: App, { live }: { live: LiveHub }): void {
  app.get(
    '/api/live',
    {
      config: { access: session },
      schema: {
        tags: ['Overview'],
        summary: 'Listen to what changes',
        description,
        querystring: LiveQuery,
        response: {
          200: {
            description: 'Success',
            content: { 'text/event-stream': { schema: Type.String({ examples: [example] }) } },
          },
        },
        errors: [404],
      },
    },
    async (request, reply) => {
      reply.type('text/event-stream').header('x-accel-buffering', 'no')
      // There is nothing to listen to without a body.
      if (request.method === 'HEAD') return reply.send('' as never)
      const { monitor: monitorId, website: websiteId } = request.query
      return reply.send((await live.open(sessionOf(request), { monitorId, websiteId })) as never)
    },
  )
}
