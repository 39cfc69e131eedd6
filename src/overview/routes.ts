import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { streamJson } from '../http/json-response.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { invalid } from '../lib/problem.ts'
import { findTimeZone } from '../lib/time-zone.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { generateOverviewJson, OverviewReader } from './overview.ts'
import { OverviewResponse, UserOverviewQuery } from './schema.ts'

function requireTimeZone(name: string): string {
  const zone = findTimeZone(name)
  if (zone === undefined) throw invalid({ time_zone: ['`time_zone` must be a time zone such as Europe/Berlin.'] })
  return zone
}

export function overviewRoutes(app: App, deps: RouteDeps & { rollup: Rollup }): void {
  const overviewReader = new OverviewReader(deps)

  app.get(
    '/api/overview',
    {
      config: { access: sessionOnly },
      schema: {
        tags: ['Overview'],
        operationId: 'getOverview',
        summary: 'Show all websites and monitors at a glance',
        description:
          'Made for the web pages: the last 30 days of each website and the last 90 days of each monitor. Supports gzip.',
        querystring: UserOverviewQuery,
        response: { 200: OverviewResponse },
      },
    },
    async (request, reply) => {
      const zone = requireTimeZone(request.query.time_zone ?? deps.config.timeZone)
      const data = await overviewReader.read(sessionOf(request), zone)
      return streamJson(request, reply, generateOverviewJson(data))
    },
  )
}
