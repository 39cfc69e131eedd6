import { Type } from 'typebox'
import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendJsonList } from '../http/json.ts'
import { pageListOf, pageMeta, pageOf, pageQuery } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { idPath } from '../lib/schemas.ts'
import { readAlertLog } from './log-store.ts'
import { AlertQuery, AlertRecord } from './schema.ts'

const PAGE_SIZE = 20
const PAGE_SIZE_MOST = 100

export function alertRoutes(app: App, { db }: RouteDeps): void {
  app.get(
    '/api/monitors/:id/notifications/log',
    {
      config: { access: caller('monitors:read', 'providers:read') },
      schema: {
        tags: ['Assignments'],
        summary: 'List what was sent about a monitor, newest first',
        description: 'To whom, when, how often it was tried, and what came back. For a year.',
        params: idPath,
        querystring: Type.Object({ ...AlertQuery.properties, ...pageQuery(PAGE_SIZE, PAGE_SIZE_MOST) }),
        response: { 200: pageListOf(AlertRecord) },
      },
    },
    async (request, reply) => {
      const page = pageOf(request.query, PAGE_SIZE)
      // At one moment, so that the page and its count agree.
      const tenant = db.as(callerOf(request))
      const { incident_id: incidentIds } = request.query
      const found = await tenant.snapshot((q) => readAlertLog(q, request.params.id, incidentIds, page))
      if (found === undefined) throw notFound()
      return sendJsonList(reply, found.json, { meta: pageMeta(page, found.total) })
    },
  )
}
