import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { streamJson } from '../http/json-response.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { requireTimeZone } from '../lib/time-zone.ts'
import { generateOverviewJson } from './json.ts'
import type { OverviewReader } from './overview.ts'
import { readResponseTimes } from './response-times.ts'
import { OverviewResponse, ResponseTimesQuery, ResponseTimesResponse, UserOverviewQuery } from './schema.ts'

export function overviewRoutes(app: App, deps: RouteDeps, overviewReader: OverviewReader): void {
  app.get(
    '/api/overview',
    {
      config: { access: sessionOnly },
      schema: {
        tags: ['Overview'],
        operationId: 'getOverview',
        summary: 'Get all websites and monitors at a glance',
        description:
          'Made for the web pages: the last 30 days of each website and the last 90 days of each monitor. Supports gzip. The response may change in any version, so programs should use the endpoints for websites and monitors.',
        querystring: UserOverviewQuery,
        response: { 200: OverviewResponse },
      },
    },
    async (request, reply) => {
      const zone = requireTimeZone(request.query.time_zone ?? deps.config.timeZone)
      const data = await overviewReader.read(sessionOf(request), zone, request.query.limit)
      return streamJson(request, reply, generateOverviewJson(data))
    },
  )

  app.get(
    '/api/overview/response-times',
    {
      config: { access: sessionOnly },
      schema: {
        tags: ['Overview'],
        operationId: 'getOverviewResponseTimes',
        summary: 'Get hourly response times of some monitors',
        description: 'Made for the web pages, which draw them as a small line chart beside each visible monitor.',
        querystring: ResponseTimesQuery,
        response: { 200: ResponseTimesResponse },
      },
    },
    async (request) => {
      const ids = request.query.monitors.split(',').map(Number)
      return { data: await readResponseTimes(deps.db.as(sessionOf(request)), ids, deps.clock.now()) }
    },
  )
}
