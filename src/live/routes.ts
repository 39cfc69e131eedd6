import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { Type } from '../lib/type.ts'
import type { LiveHub } from './hub.ts'
import { LiveQuery } from './schema.ts'

const description = `Server-sent events until the connection closes or the session ends. The server sends a comment every 15 seconds to keep the connection open.

* \`monitors\`: a list of \`{id, status, status_changed_at, down_since, last_checked_at, last_response_ms, last_error}\` with the monitors whose status changed. The first event lists changes of the last 20 seconds.
* \`visitors\`: the visitors of the last five minutes by website id. The first event lists every website with visitors. Later events list only websites whose number changed.
* \`maintenances\`: \`{}\` when a maintenance was created, changed or deleted, or when it began or ended.
* \`incidents\`: \`{}\` when an incident began, ended or was acknowledged, or when the notes of an ongoing incident changed.
* \`incident\`, only with \`incident\`: \`{incident_id}\` when the incident ended or was acknowledged, or when its notes, its impact or its alerts changed.
* \`check\`, only with \`monitor\`: the monitor, as an object like those of \`monitors\`, after each of its checks.
* \`traffic\`, only with \`website\`: \`{website_id}\` when the website has new traffic, at most every few seconds.

Events missed while disconnected are not repeated: request the current state after reconnecting. A user can have at most 20 open streams.`

const example = `event: monitors
data: [{"id":3,"status":"down","status_changed_at":"2026-01-05T10:00:00.000Z","down_since":"2026-01-05T09:59:50.000Z","last_checked_at":"2026-01-05T10:00:00.000Z","last_response_ms":null,"last_error":"connection refused"}]

event: visitors
data: {"12":3}

`

export function liveRoutes(app: App, { live }: { live: LiveHub }): void {
  app.get(
    '/api/live',
    {
      config: { access: sessionOnly },
      schema: {
        tags: ['Overview'],
        operationId: 'streamChanges',
        summary: 'Stream changes',
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
      const { monitor: monitorId, website: websiteId, incident: incidentId } = request.query
      const stream = await live.open(sessionOf(request), { monitorId, websiteId, incidentId })
      if (request.method !== 'HEAD') return reply.send(stream as never)
      // The response to HEAD has the status of GET, but no body.
      stream.destroy()
      return reply.send('' as never)
    },
  )
}
