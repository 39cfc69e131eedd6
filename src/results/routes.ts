import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { uptimeOf } from '../incidents/incidents.ts'
import { windowOf } from '../incidents/window.ts'
import { idPath } from '../lib/schemas.ts'
import { readChecks } from './checks.ts'
import { CheckQuery, CheckSeries } from './schema.ts'
import { figuresOf, seriesOf } from './series.ts'

export function checkSeriesRoutes(app: App, { clock, db }: RouteDeps): void {
  app.get(
    '/api/monitors/:id/checks',
    {
      config: { access: caller('monitors:read') },
      schema: {
        tags: ['Monitors'],
        summary: 'Show how a monitor answered, oldest first',
        description:
          'By the hour for 24h, by the day (UTC) for longer windows, which begin with a whole day. Hours and days without checks are there, with a total of 0.',
        params: idPath,
        querystring: CheckQuery,
        response: { 200: CheckSeries },
      },
    },
    async (request) => {
      const name = request.query.window ?? '24h'
      const window = windowOf(name, clock.now())
      const found = await readChecks(db.as(callerOf(request)), request.params.id, name, window)
      const { parts, recent, stepMs, summary } = found
      return {
        data: seriesOf(parts, window, stepMs),
        meta: {
          window: name,
          from: window.from.toISOString(),
          to: window.to.toISOString(),
          bucket_seconds: stepMs / 1000,
          ...figuresOf(parts),
          downtime_seconds: Math.floor(summary.downtimeSeconds),
          uptime_percent: uptimeOf(summary),
          recent: recent.map((check) => ({ ...check, checked_at: check.checked_at.toISOString() })),
        },
      }
    },
  )
}
