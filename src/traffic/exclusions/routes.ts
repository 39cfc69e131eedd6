import { caller } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { FieldReader } from '../../lib/reading.ts'
import { idPath } from '../../lib/schemas.ts'
import { readParams } from '../../websites/exclusions.ts'
import { getWebsite } from '../../websites/websites.ts'
import type { Rollup } from '../rollup/rollup.ts'
import { ExclusionPreviews } from './preview.ts'
import { ExclusionPreview, ExclusionQuery } from './schema.ts'

export function exclusionRoutes(app: App, services: RouteDeps & { rollup: Rollup }): void {
  const { db } = services
  const previews = new ExclusionPreviews(services)

  app.get(
    '/api/v1/websites/:id/exclusions',
    {
      config: { access: caller('websites:read') },
      schema: {
        tags: ['Websites'],
        summary: 'Preview an exclusion of parameters',
        description:
          'Which pages of the last 7 days would have been one, with the ten largest of what they would have become, and which parameters there are to be excluded. What is excluded already is not in any page.',
        params: idPath,
        querystring: ExclusionQuery,
        response: { 200: ExclusionPreview },
      },
    },
    async (request) => {
      const who = callerOf(request)
      const { id, time_zone: timeZone } = await getWebsite(db.as(who), request.params.id)
      const reader = new FieldReader()
      const list = reader.read('exclude_params', request.query.exclude_params, readParams)
      reader.finish()
      return previews.preview(who, { id, timeZone }, list ?? null)
    },
  )
}
