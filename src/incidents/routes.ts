import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendJsonList } from '../http/json-response.ts'
import { pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { idParams } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_INCIDENT_PAGE_SIZE } from '../shared/limits.ts'
import { summarizeWindow } from '../uptime/window-uptime.ts'
import { listIncidents } from './incidents.ts'
import { IncidentList, IncidentQuery } from './schema.ts'
import { getWindowEndingAt } from './window.ts'

const DEFAULT_PAGE_SIZE = 100

export function incidentRoutes(app: App, { clock, db }: RouteDeps): void {
  app.get(
    '/api/monitors/:id/incidents',
    {
      config: { access: requireScopes('monitors:read') },
      schema: {
        tags: ['Monitors'],
        operationId: 'listMonitorIncidents',
        summary: 'List the incidents of a monitor, newest first',
        description:
          'Returns all incidents that overlap the window, and the total downtime and the uptime of the window.',
        params: idParams,
        querystring: Type.Object({
          ...IncidentQuery.properties,
          ...pageQuery(DEFAULT_PAGE_SIZE, MAX_INCIDENT_PAGE_SIZE),
        }),
        response: { 200: IncidentList },
      },
    },
    async (request, reply) => {
      const windowName = request.query.window ?? '24h'
      const window = getWindowEndingAt(windowName, clock.now())
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const { json, total, history } = await listIncidents(db.as(callerOf(request)), request.params.id, window, page)
      const meta = {
        window: windowName,
        from: window.from.toISOString(),
        to: window.to.toISOString(),
        ...toPageMeta(page, total),
        ...summarizeWindow(history, window),
      }
      return sendJsonList(reply, json, { meta })
    },
  )
}
