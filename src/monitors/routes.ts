import { Type } from 'typebox'
import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { answerCreation } from '../http/creation.ts'
import { pageListOf, pageMeta, pageOf, pageQuery } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { deleted, deletedOf, idPath } from '../lib/schemas.ts'
import { MonitorLists } from './lists.ts'
import { changeMany, changeMonitor, createMonitor, getMonitor, removeMonitor } from './monitors.ts'
import { recordOf } from './record.ts'
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
const reading = { access: caller('monitors:read') }
const writing = { access: caller('monitors:write') }

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
        response: { 200: pageListOf(MonitorRecord) },
      },
    },
    async (request) => {
      const who = callerOf(request)
      const { status, type, search = '' } = request.query
      const page = pageOf(request.query, PAGE_SIZE)
      const listing = { status, type, limit: page.limit, offset: page.offset }
      const { rows, total } = await lists.read(db.as(who), who.userId, search, listing)
      return { data: rows.map((row) => recordOf(row, secret)), meta: pageMeta(page, total) }
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
      return answerCreation(services, request, reply, async (q) => {
        const row = await createMonitor(q, callerOf(request).userId, monitor, services)
        return { path: `/api/monitors/${row.id}`, answer: { data: recordOf(row, secret) } }
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
      const found = await db.as(callerOf(request)).transaction((q) => changeMany(q, ids, action, clock))
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
      schema: { tags, summary: 'Show a monitor', params: idPath, response: { 200: MonitorAnswer } },
    },
    async (request) => ({ data: recordOf(await getMonitor(db.as(callerOf(request)), request.params.id), secret) }),
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
        params: idPath,
        body: UpdateMonitor,
        response: { 200: MonitorAnswer },
      },
      handler: async (request) => {
        const { id } = request.params
        const tenant = db.as(callerOf(request))
        const row = await tenant.transaction((q) => changeMonitor(q, id, request.body, services))
        return { data: recordOf(row, secret) }
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
        params: idPath,
        response: { 200: deletedOf('monitor') },
      },
    },
    async (request) => {
      const { id } = request.params
      await db.as(callerOf(request)).transaction((q) => removeMonitor(q, id))
      return deleted('monitor', id)
    },
  )
}
