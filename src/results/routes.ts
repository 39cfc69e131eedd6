import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { getWindowEndingAt } from '../incidents/window.ts'
import { idParams } from '../lib/schemas.ts'
import { summarizeWindow } from '../uptime/window-uptime.ts'
import { CheckSeries, ResultQuery } from './schema.ts'
import { buildSeries, summarize } from './series.ts'
import { readWindowResults } from './window-results.ts'

export function resultRoutes(app: App, { clock, db }: RouteDeps): void {
  app.get(
    '/api/monitors/:id/checks',
    {
      config: { access: requireScopes('monitors:read') },
      schema: {
        tags: ['Monitors'],
        operationId: 'listMonitorChecks',
        summary: 'List response times and failures of a monitor, oldest first',
        description:
          'One point per minute for `1h`, per hour for `24h`, and per UTC day for longer windows, which start with a whole day. Points without checks are included with a `total` of 0.',
        params: idParams,
        querystring: ResultQuery,
        response: { 200: CheckSeries },
      },
    },
    async (request) => {
      const windowName = request.query.window ?? '24h'
      const window = getWindowEndingAt(windowName, clock.now())
      const results = await readWindowResults(db.as(callerOf(request)), request.params.id, windowName, window)
      const { totals, recentChecks, stepMs, history } = results
      return {
        data: buildSeries(totals, window, stepMs),
        meta: {
          window: windowName,
          from: window.from.toISOString(),
          to: window.to.toISOString(),
          bucket_seconds: stepMs / 1000,
          ...summarize(totals),
          ...summarizeWindow(history, window),
          recent: recentChecks.map((check) => ({ ...check, checked_at: check.checked_at.toISOString() })),
        },
      }
    },
  )
}
