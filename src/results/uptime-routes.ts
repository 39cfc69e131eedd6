import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { idParams } from '../lib/schemas.ts'
import { requireTimeZone } from '../lib/time-zone.ts'
import { readMonitorUptime } from './uptime.ts'
import { UptimeQuery, UptimeResponse } from './uptime-schema.ts'

export function uptimeRoutes(app: App, { clock, config, db }: RouteDeps): void {
  app.get(
    '/api/monitors/:id/uptime',
    {
      config: { access: requireScopes('monitors:read') },
      schema: {
        tags: ['Monitors'],
        operationId: 'getMonitorUptime',
        summary: 'Get the uptime of a monitor',
        description:
          'Returns the uptime of several periods, and of each of the last 90 days, all computed at the same moment.',
        params: idParams,
        querystring: UptimeQuery,
        response: { 200: UptimeResponse },
      },
    },
    async (request) => {
      const zone = requireTimeZone(request.query.time_zone ?? config.timeZone)
      return { data: await readMonitorUptime(db.as(callerOf(request)), request.params.id, { zone, now: clock.now() }) }
    },
  )
}
