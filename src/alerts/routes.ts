import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendJsonList } from '../http/json-response.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_ALERT_PAGE_SIZE } from '../shared/limits.ts'
import { readAlertLog } from './log-store.ts'
import { AlertQuery, AlertRecord } from './schema.ts'

const DEFAULT_PAGE_SIZE = 20

export function alertRoutes(app: App, { db }: RouteDeps): void {
  app.get(
    '/api/monitors/:id/notifications/log',
    {
      config: { access: requireScopes('monitors:read', 'providers:read') },
      schema: {
        tags: ['Assignments'],
        operationId: 'listMonitorAlerts',
        summary: 'List the alerts about a monitor, newest first',
        description:
          'Each alert has its provider, its times, the number of attempts and the last response. Alerts are kept for a year.',
        params: idParams,
        querystring: Type.Object({ ...AlertQuery.properties, ...pageQuery(DEFAULT_PAGE_SIZE, MAX_ALERT_PAGE_SIZE) }),
        response: { 200: pagedListResponse(AlertRecord) },
      },
    },
    async (request, reply) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const tenant = db.as(callerOf(request))
      const { incident_id: incidentIds } = request.query
      // Both queries read the same snapshot, so that the page and its total agree.
      const log = await tenant.snapshot((q) => readAlertLog(q, request.params.id, incidentIds, page))
      if (log === undefined) throw notFound()
      return sendJsonList(reply, log.json, { meta: toPageMeta(page, log.total) })
    },
  )
}
