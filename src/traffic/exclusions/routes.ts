import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { FieldParser } from '../../lib/field-parser.ts'
import { idParams } from '../../lib/schemas.ts'
import { parseIgnoredParams } from '../../websites/exclusions.ts'
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
      config: { access: requireScopes('websites:read') },
      schema: {
        tags: ['Websites'],
        operationId: 'previewExclusions',
        summary: 'Preview ignored URL parameters',
        description:
          'Shows at most ten pages that each would have replaced several pages of the last 7 days if these parameters had been ignored, and the parameters that pages have. Parameters that the website already ignores are not part of any page.',
        params: idParams,
        querystring: ExclusionQuery,
        response: { 200: ExclusionPreview },
      },
    },
    async (request) => {
      const owner = callerOf(request)
      const { id, time_zone: timeZone } = await getWebsite(db.as(owner), request.params.id)
      const fields = new FieldParser()
      const excludeParams = fields.parse('exclude_params', request.query.exclude_params, parseIgnoredParams)
      fields.throwIfInvalid()
      return previews.preview(owner, { id, timeZone }, excludeParams ?? null)
    },
  )
}
