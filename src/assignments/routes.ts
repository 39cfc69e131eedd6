/** Routes for assignments: the channels of a monitor, and the monitors of a channel. */
import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendCreated } from '../http/idempotent-create.ts'
import { sendJsonList } from '../http/json-response.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { invalid, notFound } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_ASSIGNMENT_PAGE_SIZE } from '../shared/limits.ts'
import { assignMonitors } from './assignments.ts'
import {
  AssignedMonitor,
  AssignMonitors,
  AssignMonitorsResponse,
  AssignmentList,
  AssignmentResponse,
  ChannelIdInBody,
  ChannelIdInQuery,
  DeletedAssignment,
  MonitorIdsInBody,
  MonitorIdsInQuery,
  PutAssignment,
  UnassignMonitorsResponse,
} from './schema.ts'
import { deleteAssignment, deleteAssignments, listAssignedMonitors, listAssignments, putAssignment } from './store.ts'

const DEFAULT_PAGE_SIZE = 100

const tags = ['Assignments']
const readAccess = { access: requireScopes('monitors:read', 'providers:read') }
const writeAccess = { access: requireScopes('monitors:write', 'providers:read') }

export function assignmentRoutes(app: App, services: RouteDeps): void {
  channelsOfMonitorRoutes(app, services)
  monitorsOfChannelRoutes(app, services)
}

function channelsOfMonitorRoutes(app: App, services: RouteDeps): void {
  const path = '/api/monitors/:id/notifications'
  const { clock, db } = services

  app.get(
    path,
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listMonitorProviders',
        summary: 'List the providers of a monitor',
        params: idParams,
        response: { 200: AssignmentList },
      },
    },
    async (request, reply) => {
      const list = await listAssignments(db.as(callerOf(request)), request.params.id)
      if (list === undefined) throw notFound()
      return sendJsonList(reply, list.json, { meta: { total: list.count } })
    },
  )

  app.post(
    path,
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'assignProvider',
        summary: 'Assign a provider to a monitor',
        description:
          'If the provider is already assigned, this changes the assignment and responds with 200 instead of 201.',
        params: idParams,
        body: PutAssignment,
        response: { 200: AssignmentResponse, 201: AssignmentResponse },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { provider_id: channelId, enabled = true, delay_minutes: delayMinutes } = request.body
      const ids = { teamId: caller.teamId, monitorId: request.params.id, channelId }
      const assignment = { ...ids, enabled, delayMinutes, now: clock.now() }
      const { isNew, row } = await db.as(caller).transaction((q) => putAssignment(q, assignment))
      const responseBody = { data: { ...row, created_at: row.created_at.toISOString() } }
      if (!isNew) return responseBody
      return sendCreated(services, request, reply, { path: path.replace(':id', String(row.monitor_id)), responseBody })
    },
  )

  app.delete(
    path,
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'removeProvider',
        summary: 'Remove a provider from a monitor',
        description: 'Send `provider_id` in the body or in the query string.',
        params: idParams,
        querystring: ChannelIdInQuery,
        body: ChannelIdInBody,
        response: { 200: DeletedAssignment },
      },
    },
    async (request) => {
      const monitorId = request.params.id
      const channelId = readChannelId(request.body, request.query)
      if (!(await deleteAssignment(db.as(callerOf(request)), monitorId, channelId))) throw notFound()
      return { monitor_id: monitorId, provider_id: channelId, object: 'assignment' as const, deleted: true as const }
    },
  )
}

function readChannelId(body: { provider_id?: number }, query: { provider_id?: number }): number {
  const channelId = body.provider_id ?? query.provider_id
  if (channelId === undefined) throw invalid({ provider_id: ['`provider_id` is required.'] })
  if (query.provider_id !== undefined && query.provider_id !== channelId) {
    throw invalid({ provider_id: ['`provider_id` differs between the body and the query string.'] })
  }
  return channelId
}

function monitorsOfChannelRoutes(app: App, { clock, db }: RouteDeps): void {
  const path = '/api/providers/:id/monitors'

  app.get(
    path,
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listProviderMonitors',
        summary: 'List the monitors of a provider, newest first',
        params: idParams,
        querystring: Type.Object(pageQuery(DEFAULT_PAGE_SIZE, MAX_ASSIGNMENT_PAGE_SIZE)),
        response: { 200: pagedListResponse(AssignedMonitor) },
      },
    },
    async (request, reply) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      // Reads from one snapshot, so that the page and the total agree.
      const list = await db.as(callerOf(request)).snapshot((q) => listAssignedMonitors(q, request.params.id, page))
      if (list === undefined) throw notFound()
      return sendJsonList(reply, list.json, { meta: toPageMeta(page, list.total) })
    },
  )

  app.post(
    path,
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'assignProviderToMonitors',
        summary: 'Assign a provider to many monitors',
        description:
          'Send one of `monitor_ids`, `tags` (monitors with at least one of them) and `all_monitors`. Monitors that are added later are not affected. Changes the assignments of monitors that already have the provider. If a monitor does not exist, the error names it and nothing changes.',
        params: idParams,
        body: AssignMonitors,
        response: { 200: AssignMonitorsResponse },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { enabled = true, delay_minutes: delayMinutes, ...choice } = request.body
      const input = { teamId: caller.teamId, channelId: request.params.id, choice, enabled, delayMinutes }
      const counts = await db.as(caller).transaction((q) => assignMonitors(q, input, clock))
      return { data: { provider_id: request.params.id, ...counts } }
    },
  )

  app.delete(
    path,
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'removeProviderFromMonitors',
        summary: 'Remove a provider from many monitors',
        description:
          'Send `monitor_ids` in the body or in the query string. Monitors without the provider do not change.',
        params: idParams,
        querystring: MonitorIdsInQuery,
        body: MonitorIdsInBody,
        response: { 200: UnassignMonitorsResponse },
      },
    },
    async (request) => {
      const { id } = request.params
      const monitorIds = readMonitorIds(request.body, request.query)
      const removedCount = await deleteAssignments(db.as(callerOf(request)), id, monitorIds)
      if (removedCount === undefined) throw notFound()
      return { data: { provider_id: id, removed: removedCount } }
    },
  )
}

function readMonitorIds(body: { monitor_ids?: number[] }, query: { monitor_ids?: number[] }): number[] {
  const monitorIds = body.monitor_ids ?? query.monitor_ids
  if (monitorIds === undefined) throw invalid({ monitor_ids: ['`monitor_ids` is required.'] })
  if (query.monitor_ids !== undefined && new Set(query.monitor_ids).symmetricDifference(new Set(monitorIds)).size > 0) {
    throw invalid({ monitor_ids: ['`monitor_ids` differs between the body and the query string.'] })
  }
  return monitorIds
}
