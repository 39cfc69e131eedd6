import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendCreated } from '../http/idempotent-create.ts'
import { sendJsonList } from '../http/json.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { invalid, notFound } from '../lib/problem.ts'
import { idParams } from '../lib/schemas.ts'
import {
  AssignmentAnswer,
  AssignmentList,
  DeletedAssignment,
  ProviderInBody,
  ProviderInQuery,
  PutAssignment,
} from './schema.ts'
import { deleteAssignment, listAssignments, putAssignment } from './store.ts'

const path = '/api/monitors/:id/notifications'
const tags = ['Assignments']

function namedProvider(body: { provider_id?: number }, query: { provider_id?: number }): number {
  const named = body.provider_id ?? query.provider_id
  if (named === undefined) throw invalid({ provider_id: ['`provider_id` is required.'] })
  if (query.provider_id !== undefined && query.provider_id !== named) {
    throw invalid({ provider_id: ['`provider_id` differs between the body and the query string.'] })
  }
  return named
}

export function assignmentRoutes(app: App, services: RouteDeps): void {
  const { clock, db } = services

  app.get(
    path,
    {
      config: { access: requireScopes('monitors:read', 'providers:read') },
      schema: {
        tags,
        summary: 'List the providers of a monitor',
        params: idParams,
        response: { 200: AssignmentList },
      },
    },
    async (request, reply) => {
      const found = await listAssignments(db.as(callerOf(request)), request.params.id)
      if (found === undefined) throw notFound()
      return sendJsonList(reply, found.json, { meta: { total: found.count } })
    },
  )

  app.post(
    path,
    {
      config: { access: requireScopes('monitors:write', 'providers:read') },
      schema: {
        tags,
        summary: 'Assign a provider to a monitor',
        description: 'One that is assigned already is switched on or off: 200 instead of 201.',
        params: idParams,
        body: PutAssignment,
        response: { 200: AssignmentAnswer, 201: AssignmentAnswer },
      },
    },
    async (request, reply) => {
      const who = callerOf(request)
      const { provider_id: providerId, enabled = true } = request.body
      const assignment = { userId: who.userId, monitorId: request.params.id, providerId, enabled, now: clock.now() }
      const { isNew, row } = await db.as(who).transaction((q) => putAssignment(q, assignment))
      const answer = { data: { ...row, created_at: row.created_at.toISOString() } }
      if (!isNew) return answer
      return sendCreated(services, request, reply, { path: path.replace(':id', String(row.monitor_id)), answer })
    },
  )

  app.delete(
    path,
    {
      config: { access: requireScopes('monitors:write', 'providers:read') },
      schema: {
        tags,
        summary: 'Take a provider off a monitor',
        description: '`provider_id` stands in the body or in the query.',
        params: idParams,
        querystring: ProviderInQuery,
        body: ProviderInBody,
        response: { 200: DeletedAssignment },
      },
    },
    async (request) => {
      const monitorId = request.params.id
      const providerId = namedProvider(request.body, request.query)
      if (!(await deleteAssignment(db.as(callerOf(request)), monitorId, providerId))) throw notFound()
      return { monitor_id: monitorId, provider_id: providerId, object: 'assignment' as const, deleted: true as const }
    },
  )
}
