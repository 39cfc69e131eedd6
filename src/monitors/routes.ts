import { Type } from 'typebox'
import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import { pagedListResponse, pageMeta, pageQuery, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { MonitorLists } from './lists.ts'
import { applyBulkAction, createMonitor, deleteMonitor, getMonitor, updateMonitor } from './monitors.ts'
import { toMonitorRecord } from './record.ts'
import {
  BulkAnswer,
  BulkRequest,
  CreateMonitor,
  MonitorAnswer,
  MonitorQuery,
  MonitorRecord,
  UpdateMonitor,
} from './schema.ts'
import { readSettings } from './settings.ts'

const PAGE_SIZE = 20
const PAGE_SIZE_MOST = 100

const tags = ['Monitors']
const reading = { access: requireScopes('monitors:read') }
const writing = { access: requireScopes('monitors:write') }

export function monitorRoutes(app: App, services: RouteDeps): void {
  const { clock, db, secret } = services
  const lists = new MonitorLists()

  app.get(
    '/api/monitors',
    {
      config: reading,
      schema: {
        tags,
        summary: 'List monitors, newest first',
        querystring: Type.Object({ ...MonitorQuery.properties, ...pageQuery(PAGE_SIZE, PAGE_SIZE_MOST) }),
        response: { 200: pagedListResponse(MonitorRecord) },
      },
    },
    async (request) => {
      const who = callerOf(request)
      const { status, type, search = '' } = request.query
      const page = toPageRequest(request.query, PAGE_SIZE)
      const listing = { status, type, limit: page.limit, offset: page.offset }
      const { rows, total } = await lists.read(db.as(who), who.userId, search, listing)
      return { data: rows.map((row) => toMonitorRecord(row, secret)), meta: pageMeta(page, total) }
    },
  )

  app.post(
    '/api/monitors',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Create a monitor',
        description: 'Providers with `assign_by_default` are assigned to it.',
        body: CreateMonitor,
        response: { 201: MonitorAnswer },
        repeatable: true,
      },
    },
    async (request, reply) => {
      const { is_active: isActive = true } = request.body
      const monitor = { settings: readSettings(request.body), isActive }
      return createIdempotently(services, request, reply, async (q) => {
        const row = await createMonitor(q, callerOf(request).userId, monitor, services)
        return { path: `/api/monitors/${row.id}`, answer: { data: toMonitorRecord(row, secret) } }
      })
    },
  )

  app.post(
    '/api/monitors/bulk',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Pause, resume or delete many monitors',
        description: 'All that are there, or after a failure none. Those that are not there are named.',
        body: BulkRequest,
        response: { 200: BulkAnswer },
      },
    },
    async (request) => {
      const { ids, action } = request.body
      const found = await db.as(callerOf(request)).transaction((q) => applyBulkAction(q, ids, action, clock))
      const wanted = new Set(ids)
      return {
        data: {
          action,
          ids: [...wanted].filter((id) => found.includes(id)),
          not_found: [...wanted].filter((id) => !found.includes(id)),
        },
      }
    },
  )

  app.get(
    '/api/monitors/:id',
    {
      config: reading,
      schema: { tags, summary: 'Show a monitor', params: idParams, response: { 200: MonitorAnswer } },
    },
    async (request) => ({
      data: toMonitorRecord(await getMonitor(db.as(callerOf(request)), request.params.id), secret),
    }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/monitors/:id',
      config: writing,
      schema: {
        tags,
        summary: `Update a monitor${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: 'What is not sent stays as it is. Another type starts again at pending.',
        params: idParams,
        body: UpdateMonitor,
        response: { 200: MonitorAnswer },
      },
      handler: async (request) => {
        const { id } = request.params
        const tenant = db.as(callerOf(request))
        const row = await tenant.transaction((q) => updateMonitor(q, id, request.body, services))
        return { data: toMonitorRecord(row, secret) }
      },
    })
  }

  app.delete(
    '/api/monitors/:id',
    {
      config: writing,
      schema: {
        tags,
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
