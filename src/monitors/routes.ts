import type { FastifyRequest } from 'fastify'
import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import { getBaseUrl } from '../http/origin.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import { requireValidBody } from '../http/require-valid-body.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { monitorDefaults } from '../shared/monitors.ts'
import { hasRight } from '../shared/roles.ts'
import type { Caller } from '../storage/caller.ts'
import type { Queries } from '../storage/transaction.ts'
import { toTagKeys } from '../tags/tags.ts'
import { MonitorLists } from './lists.ts'
import { applyBulkAction, createMonitor, deleteMonitor, getMonitor, updateMonitor } from './monitors.ts'
import { type RecordContext, toMonitorRecord } from './record.ts'
import {
  BulkActionRequest,
  BulkResponse,
  CreateMonitor,
  MonitorQuery,
  MonitorRecord,
  MonitorResponse,
  UpdateMonitor,
} from './schema.ts'
import { checkAcceptedFields, createSettings } from './settings.ts'
import { findMonitor } from './store.ts'
import { refuseTrafficType } from './traffic-settings.ts'

const DEFAULT_PAGE_SIZE = 20
const MAX_PAGE_SIZE = 100

const tags = ['Monitors']
const readAccess = { access: requireScopes('monitors:read') }
const writeAccess = { access: requireScopes('monitors:write') }

/** Anyone who knows the token of a heartbeat can send beats, so those who only read the team's monitors must not see it. */
const maySeeBeatTokens = ({ scopes, role }: Caller) => scopes.includes('monitors:write') && hasRight(role, 'edit')

export function monitorRoutes(app: App, services: RouteDeps): void {
  const { clock, config, db, secret } = services
  const { rdapUrl } = config
  const lists = new MonitorLists()
  const contextOf = (request: FastifyRequest): RecordContext => ({
    secret,
    baseUrl: getBaseUrl(config, request),
    showsBeatToken: maySeeBeatTokens(callerOf(request)),
    now: clock.now(),
  })

  app.get(
    '/api/monitors',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listMonitors',
        summary: 'List monitors, newest first',
        querystring: Type.Object({ ...MonitorQuery.properties, ...pageQuery(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE) }),
        response: { 200: pagedListResponse(MonitorRecord) },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { status, type, search = '', tag = [] } = request.query
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const query = { status, type, tagKeys: toTagKeys(tag), limit: page.limit, offset: page.offset }
      const { rows, total } = await lists.read(db.as(caller), caller.teamId, search, query)
      const context = contextOf(request)
      return { data: rows.map((row) => toMonitorRecord(row, context)), meta: toPageMeta(page, total) }
    },
  )

  app.post(
    '/api/monitors',
    {
      config: writeAccess,
      attachValidation: true,
      schema: {
        tags,
        operationId: 'createMonitor',
        summary: 'Create a monitor',
        description: 'Providers with `assign_by_default` are assigned to the monitor.',
        body: CreateMonitor,
        response: { 201: MonitorResponse },
        acceptsIdempotencyKey: true,
      },
    },
    async (request, reply) => {
      refuseTrafficType(request.body)
      requireValidBody(request, (fields) => {
        // The rules for the URL depend on the type. If the type is invalid, the URL is not checked.
        const { type = monitorDefaults.type, url } = request.body
        const isTypeKnown = 'type' in fields || type === monitorDefaults.type
        checkAcceptedFields(isTypeKnown ? { type, ...fields } : fields, { requiresUrl: url === undefined, rdapUrl })
      })
      const { is_active: isActive = true } = request.body
      const monitor = { settings: createSettings(request.body, rdapUrl), isActive }
      const context = contextOf(request)
      const create = async (q: Queries) => {
        const row = await createMonitor(q, callerOf(request).teamId, monitor, services)
        const record = toMonitorRecord(row, context)
        // `createIdempotently` stores this body, to repeat the response. It must not contain the URL of a heartbeat,
        // because the URL contains the token, which is stored only encrypted. `row.url` is empty for heartbeats.
        const storedBody = { data: { ...record, url: row.url } }
        return { path: `/api/monitors/${row.id}`, responseBody: { data: record }, storedBody }
      }
      return createIdempotently(services, { request, reply }, create, async (q, body) => {
        const { data } = body as { data: MonitorRecord }
        const row = data.type === 'heartbeat' ? await findMonitor(q, data.id) : undefined
        return row === undefined ? body : { data: { ...data, url: toMonitorRecord(row, context).url } }
      })
    },
  )

  app.post(
    '/api/monitors/bulk',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'bulkUpdateMonitors',
        summary: 'Pause, resume, tag or delete many monitors',
        description:
          'Applies the action to all listed monitors that exist, or to none if it fails. The response lists ids that do not exist.',
        body: BulkActionRequest,
        response: { 200: BulkResponse },
      },
    },
    async (request) => {
      const { ids, action } = request.body
      const caller = callerOf(request)
      const existingIds = await db.as(caller).transaction((q) => applyBulkAction(q, caller.teamId, request.body, clock))
      const uniqueIds = [...new Set(ids)]
      return {
        data: {
          action,
          ids: uniqueIds.filter((id) => existingIds.includes(id)),
          not_found: uniqueIds.filter((id) => !existingIds.includes(id)),
        },
      }
    },
  )

  app.get(
    '/api/monitors/:id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getMonitor',
        summary: 'Get a monitor',
        params: idParams,
        response: { 200: MonitorResponse },
      },
    },
    async (request) => ({
      data: toMonitorRecord(await getMonitor(db.as(callerOf(request)), request.params.id), contextOf(request)),
    }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/monitors/:id',
      config: writeAccess,
      attachValidation: true,
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updateMonitor' : 'patchMonitor',
        summary: `Update a monitor${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description:
          'Fields that are not sent do not change. After a change of the type, the monitor is `pending` again.',
        params: idParams,
        body: UpdateMonitor,
        response: { 200: MonitorResponse },
      },
      handler: async (request) => {
        requireValidBody(request, (fields) => checkAcceptedFields(fields, { rdapUrl }))
        const { id } = request.params
        const caller = callerOf(request)
        const tenant = db.as(caller)
        const row = await tenant.transaction((q) =>
          updateMonitor(q, caller.teamId, { id, input: request.body }, services),
        )
        return { data: toMonitorRecord(row, contextOf(request)) }
      },
    })
  }

  app.delete(
    '/api/monitors/:id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deleteMonitor',
        summary: 'Delete a monitor with its incidents and assignments',
        params: idParams,
        response: { 200: deletedResponse('monitor') },
      },
    },
    async (request) => {
      const { id } = request.params
      await db.as(callerOf(request)).transaction((q) => deleteMonitor(q, id))
      return toDeleted('monitor', id)
    },
  )
}
