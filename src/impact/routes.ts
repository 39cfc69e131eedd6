import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import type { TimeWindow } from '../incidents/window.ts'
import { addMs } from '../lib/clock.ts'
import { parseTimeOrDay } from '../lib/local-day.ts'
import { type FieldErrors, invalid, notFound } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import { parseMonitorHost } from '../monitors/target.ts'
import { DAY_MS } from '../shared/time.ts'
import type { Rollup } from '../traffic/rollup/rollup.ts'
import { findWebsiteById, findWebsiteOfMonitor } from './history/website-store.ts'
import { findIncidentToMeasure } from './measure-store.ts'
import { sumOutages } from './outages.ts'
import { IncidentVisitsResponse, incidentParams, OutagesQuery, OutagesResponse } from './schema.ts'
import { readVisitsAround } from './visits-around.ts'

const DEFAULT_DAYS = 30
/** A leap year, plus the additional hour of the day on which clocks are set back. */
const MAX_RANGE_MS = 366 * DAY_MS + DAY_MS / 24

/** Both routes find the caller's own website first. Then they read across users, because `collection_gaps` belong to no user. */
export function impactRoutes(app: App, { clock, db, rollup }: RouteDeps & { rollup: Rollup }): void {
  app.get(
    '/api/monitors/:id/incidents/:incident_id/visits',
    {
      config: { access: requireScopes('monitors:read') },
      schema: {
        tags: ['Monitors'],
        operationId: 'getIncidentVisits',
        summary: 'Get the visits around an incident',
        description:
          'The expected and actual visits to the host of the monitor, from two hours before the incident to one hour after it. 404 if none of your websites has this host.',
        params: incidentParams,
        response: { 200: IncidentVisitsResponse },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { id: monitorId, incident_id: incidentId } = request.params
      const tenant = db.as(caller)
      const incident = await findIncidentToMeasure(tenant, { teamId: caller.teamId, monitorId, incidentId })
      const website = incident && (await findWebsiteOfMonitor(tenant, caller.teamId, incident))
      if (incident === undefined || website === undefined) throw notFound()
      const now = clock.now()
      await rollup.rollUpWebsite(website.id)
      const host = incident.type === 'traffic' ? undefined : parseMonitorHost(incident)
      const period = { from: incident.startedAt, to: incident.resolvedAt ?? now }
      const { from, to, pointMs, basis, points } = await db.snapshot((q) =>
        readVisitsAround(q, website, host, { incident: period, now }),
      )
      const slots = points.map(({ startsAt, actual, ...expected }) => ({
        starts_at: startsAt.toISOString(),
        seen: actual,
        ...expected,
      }))
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
        summary: 'Get the outages of a website',
        description:
          'The downtime of all monitors of the website, and the visits that it missed. Incidents that overlap count once. Those that began during a planned maintenance are not outages, and neither are stops of visits that a missing snippet or the Belfry server caused.',
        params: idParams,
        querystring: OutagesQuery,
        response: { 200: OutagesResponse },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const website = await findWebsiteById(db.as(caller), caller.teamId, request.params.id)
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

/** Dates are days in the time zone of the website, both included. The range ends now at the latest. */
export function parseOutageRange(
  { from, to }: { from?: string; to?: string },
  { timeZone, now }: { timeZone: string; now: Date },
): TimeWindow {
  const errors: FieldErrors = {}
  const parseBound = (name: 'from' | 'to', text: string): Date => {
    const time = parseTimeOrDay(text, timeZone, name === 'to')
    if (time === undefined)
      errors[name] = [`\`${name}\` must be a day such as 2026-01-05 or a time such as 2026-01-05T10:00:00Z.`]
    return time ?? now
  }
  const parsedEnd = to === undefined ? now : parseBound('to', to)
  const end = parsedEnd < now ? parsedEnd : now
  const start = from === undefined ? addMs(end, -DEFAULT_DAYS * DAY_MS) : parseBound('from', from)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  if (start >= parsedEnd) throw invalid({ from: ['`from` must be before `to`.'] })
  if (start > now) throw invalid({ from: ['`from` must not be in the future.'] })
  if (end.getTime() - start.getTime() > MAX_RANGE_MS) {
    throw invalid({ from: ['The range from `from` to `to` must be at most one year long.'] })
  }
  return { from: start, to: end }
}
