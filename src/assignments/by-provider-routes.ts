import { Type } from 'typebox'
import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendJsonList } from '../http/json.ts'
import { pagedListResponse, pageMeta, pageQuery, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { invalid, notFound } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import { MAX_ASSIGNMENT_PAGE_SIZE } from '../shared/limits.ts'
import { assignMonitorsToProvider } from './by-provider.ts'
import {
  AssignedAnswer,
  AssignedMonitor,
  AssignMonitors,
  MonitorsInBody,
  MonitorsInQuery,
  RemovedAnswer,
} from './by-provider-schema.ts'
import { readAssignedMonitors, removeAssignments } from './by-provider-store.ts'

const DEFAULT_PAGE_SIZE = 100

const path = '/api/providers/:id/monitors'
const tags = ['Assignments']
const writing = { access: requireScopes('monitors:write', 'providers:read') }

function namedMonitors(body: { monitor_ids?: number[] }, query: { monitor_ids?: number[] }): number[] {
  const named = body.monitor_ids ?? query.monitor_ids
  if (named === undefined) throw invalid({ monitor_ids: ['`monitor_ids` is required.'] })
  if (query.monitor_ids !== undefined && new Set(query.monitor_ids).symmetricDifference(new Set(named)).size > 0) {
    throw invalid({ monitor_ids: ['`monitor_ids` differs between the body and the query string.'] })
  }
  return named
}

export function assignmentByProviderRoutes(app: App, { clock, db }: RouteDeps): void {
  app.get(
    path,
    {
      config: { access: requireScopes('monitors:read', 'providers:read') },
      schema: {
        tags,
        summary: 'List the monitors of a provider, newest first',
        params: idParams,
        querystring: Type.Object(pageQuery(DEFAULT_PAGE_SIZE, MAX_ASSIGNMENT_PAGE_SIZE)),
        response: { 200: pagedListResponse(AssignedMonitor) },
      },
    },
    async (request, reply) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      // At one moment, so that the page and its count agree.
      const found = await db.as(callerOf(request)).snapshot((q) => readAssignedMonitors(q, request.params.id, page))
      if (found === undefined) throw notFound()
      return sendJsonList(reply, found.json, { meta: pageMeta(page, found.total) })
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Assign a provider to many monitors',
        description:
          'Those that have it already are switched on or off. A monitor that is not there is named, and nothing is changed.',
        params: idParams,
        body: AssignMonitors,
        response: { 200: AssignedAnswer },
      },
    },
    async (request) => {
      const who = callerOf(request)
      const { monitor_ids: monitorIds, enabled = true } = request.body
      const wish = { userId: who.userId, providerId: request.params.id, monitorIds, enabled }
      const counts = await db.as(who).transaction((q) => assignMonitorsToProvider(q, wish, clock))
      return { data: { provider_id: request.params.id, ...counts } }
    },
  )

  app.delete(
    path,
    {
      config: writing,
      schema: {
        tags,
        summary: 'Take a provider off many monitors',
        description: '`monitor_ids` stand in the body or in the query. Those that do not have it stay as they are.',
        params: idParams,
        querystring: MonitorsInQuery,
        body: MonitorsInBody,
        response: { 200: RemovedAnswer },
      },
    },
    async (request) => {
      const { id } = request.params
      const monitorIds = namedMonitors(request.body, request.query)
      const removed = await removeAssignments(db.as(callerOf(request)), id, monitorIds)
      if (removed === undefined) throw notFound()
      return { data: { provider_id: id, removed } }
    },
  )
}
