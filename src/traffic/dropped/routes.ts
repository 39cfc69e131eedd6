import { Type } from 'typebox'
import { caller } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { idPath } from '../../lib/schemas.ts'
import { getWebsite } from '../../websites/websites.ts'
import { RangeQuery, rangeOf } from '../stats/question.ts'
import { listDropped } from './dropped.ts'
import { DroppedList } from './schema.ts'
import { readDropped } from './store.ts'

const { from, to } = RangeQuery.properties

export function droppedRoutes(app: App, { clock, db }: RouteDeps): void {
  app.get(
    '/api/v1/websites/:id/dropped',
    {
      config: { access: caller('websites:read') },
      schema: {
        tags: ['Websites'],
        summary: 'Show how many events were dropped, and why',
        description: 'What the settings of the website turned away, about a second behind. Kept for a year.',
        params: idPath,
        querystring: Type.Object({ from, to }),
        response: { 200: DroppedList },
      },
    },
    async (request) => {
      const { id } = request.params
      const { time_zone: timeZone } = await getWebsite(db.as(callerOf(request)), id)
      const range = rangeOf(request.query, { timeZone, clock })
      const counted = await readDropped(db.asReader(callerOf(request), id), { websiteId: id, ...range })
      return listDropped(range, counted)
    },
  )
}
