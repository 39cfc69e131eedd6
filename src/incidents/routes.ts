import { Type } from 'typebox'
import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendJsonList } from '../http/json.ts'
import { pageMeta, pageOf, pageQuery } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { idPath } from '../lib/schemas.ts'
import { listIncidents, uptimeOf } from './incidents.ts'
import { IncidentList, IncidentQuery } from './schema.ts'
import { windowOf } from './window.ts'

const PAGE_SIZE = 100
const PAGE_SIZE_MOST = 1_000

export function incidentRoutes(app: App, { clock, db }: RouteDeps): void {
  app.get(
    '/api/monitors/:id/incidents',
    {
      config: { access: caller('monitors:read') },
      schema: {
        tags: ['Monitors'],
        summary: 'List the incidents of a monitor, newest first',
        description: 'Every one that reaches into the window, with the downtime and uptime of the whole window.',
        params: idPath,
        querystring: Type.Object({ ...IncidentQuery.properties, ...pageQuery(PAGE_SIZE, PAGE_SIZE_MOST) }),
        response: { 200: IncidentList },
      },
    },
    async (request, reply) => {
      const name = request.query.window ?? '24h'
      const window = windowOf(name, clock.now())
      const page = pageOf(request.query, PAGE_SIZE)
      const { json, summary } = await listIncidents(db.as(callerOf(request)), request.params.id, window, page)
      const meta = {
        window: name,
        from: window.from.toISOString(),
        to: window.to.toISOString(),
        ...pageMeta(page, summary.total),
        downtime_seconds: Math.floor(summary.downtimeSeconds),
        uptime_percent: uptimeOf(summary),
      }
      return sendJsonList(reply, json, { meta })
    },
  )
}
