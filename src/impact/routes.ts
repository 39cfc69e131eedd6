import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { findMonitorHost } from './history/website-of-host.ts'
import { findWebsiteById, findWebsiteOfMonitor } from './history/website-store.ts'
import { findIncidentToMeasure } from './measure-store.ts'
import { parseOutageRange } from './outage-range.ts'
import { sumOutages } from './outages.ts'
import { IncidentVisitsResponse, incidentParams, OutagesQuery, OutagesResponse } from './schema.ts'
import { readVisitsAround } from './visits-around.ts'

/** Both routes find the caller's own website first. Then they read across users, because `collection_gaps` belong to no user. */
export function impactRoutes(app: App, { clock, db, rollup }: RouteDeps & { rollup: Rollup }): void {
  app.get(
    '/api/monitors/:id/incidents/:incident_id/visits',
    {
      config: { access: requireScopes('monitors:read') },
      schema: {
        tags: ['Monitors'],
        operationId: 'getIncidentVisits',
        summary: 'Show the visits around an incident',
        description:
          'Visits to the host of the monitor that were expected and seen, from two hours before the incident to one hour after it. 404 if none of your websites has this host.',
        params: incidentParams,
        response: { 200: IncidentVisitsResponse },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { id: monitorId, incident_id: incidentId } = request.params
      const tenant = db.as(caller)
      const incident = await findIncidentToMeasure(tenant, { userId: caller.userId, monitorId, incidentId })
      const website = incident && (await findWebsiteOfMonitor(tenant, caller.userId, incident))
      if (incident === undefined || website === undefined) throw notFound()
      const now = clock.now()
      await rollup.rollUpWebsite(website.id)
      const host = incident.type === 'traffic' ? undefined : findMonitorHost(incident)
      const period = { from: incident.startedAt, to: incident.resolvedAt ?? now }
      const { from, to, pointMs, basis, points } = await db.snapshot((q) =>
        readVisitsAround(q, website, host, { incident: period, now }),
      )
      const slots = points.map(({ startsAt, ...counts }) => ({ starts_at: startsAt.toISOString(), ...counts }))
      return {
        data: { from: from.toISOString(), to: to.toISOString(), slot_seconds: pointMs / 1000, basis, slots },
      }
    },
  )

  app.get(
    '/api/v1/websites/:id/outages',
    {
      config: { access: requireScopes('websites:read') },
      schema: {
        tags: ['Websites'],
        operationId: 'getWebsiteOutages',
        summary: 'Add up the outages of a website',
        description:
          'The downtime of all monitors of the website, and the visits that it missed. Incidents that overlap count once. Those that began during a planned maintenance are not outages, and neither is a silence that was caused by a missing snippet or by the Belfry server.',
        params: idParams,
        querystring: OutagesQuery,
        response: { 200: OutagesResponse },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const website = await findWebsiteById(db.as(caller), caller.userId, request.params.id)
      if (website === undefined) throw notFound()
      const window = parseOutageRange(request.query, { timeZone: website.timeZone, now: clock.now() })
      await rollup.rollUpWebsite(website.id)
      const sum = await sumOutages(db, website, window)
      const { visits_low: _low, visits_high: _high, ...visits } = sum.impact
      return {
        data: {
          website_id: website.id,
          from: window.from.toISOString(),
          to: window.to.toISOString(),
          outages: sum.outages,
          downtime_seconds: sum.downtimeSeconds,
          ...visits,
          outages_without_estimate: sum.outagesWithoutEstimate,
          incidents: sum.incidentIds,
        },
      }
    },
  )
}
