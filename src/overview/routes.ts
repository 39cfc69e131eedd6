import { session } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { sendPieces } from '../http/pieces.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { invalid } from '../lib/problem.ts'
import { findTimeZone } from '../lib/time-zone.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { Overviews, writeOverview } from './overview.ts'
import { OverviewAnswer, OverviewQuery } from './schema.ts'

function zoneOf(name: string): string {
  const zone = findTimeZone(name)
  if (zone === undefined) throw invalid({ time_zone: ['`time_zone` must be a time zone such as Europe/Berlin.'] })
  return zone
}

export function overviewRoutes(app: App, services: RouteDeps & { rollup: Rollup }): void {
  const overviews = new Overviews(services)

  app.get(
    '/api/overview',
    {
      config: { access: session },
      schema: {
        tags: ['Overview'],
        summary: 'Show every website and monitor at a glance',
        description:
          'For the pages: the last 30 days of each website, and the last 90 of each monitor. Compressed for those who take gzip.',
        querystring: OverviewQuery,
        response: { 200: OverviewAnswer },
      },
    },
    async (request, reply) => {
      const zone = zoneOf(request.query.time_zone ?? services.config.timeZone)
      const read = await overviews.read(sessionOf(request), zone)
      return sendPieces(request, reply, writeOverview(read))
    },
  )
}
