import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { idParams } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { getWebsite } from '../../websites/websites.ts'
import { RangeQuery, resolveDateRange } from '../stats/query.ts'
import { summarizeDropCounts } from './dropped.ts'
import { DroppedList } from './schema.ts'
import { readDropCounts } from './store.ts'

const { from, to } = RangeQuery.properties

export function droppedRoutes(app: App, { clock, db }: RouteDeps): void {
  app.get(
    '/api/v1/websites/:id/dropped',
    {
      config: { access: requireScopes('websites:read') },
      schema: {
        tags: ['Websites'],
        operationId: 'getDroppedEvents',
        summary: 'Get the number of dropped events by reason',
        description:
          'Counts events that the website’s settings exclude, by reason and day. New events appear after about a second. Counts are deleted after a year.',
        params: idParams,
        querystring: Type.Object({ from, to }),
        response: { 200: DroppedList },
      },
    },
    async (request) => {
      const { id } = request.params
      const { time_zone: timeZone } = await getWebsite(db.as(callerOf(request)), id)
      const range = resolveDateRange(request.query, { timeZone, clock })
      const counts = await readDropCounts(db.asMember(callerOf(request), id), { websiteId: id, ...range })
      return summarizeDropCounts(range, counts)
    },
  )
}
