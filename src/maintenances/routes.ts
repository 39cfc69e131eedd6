import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import {
  createMaintenance,
  deleteMaintenance,
  endMaintenance,
  getMaintenance,
  toMaintenanceRecord,
  updateMaintenance,
} from './maintenances.ts'
import {
  CreateMaintenance,
  MaintenanceQuery,
  MaintenanceRecord,
  MaintenanceResponse,
  UpdateMaintenance,
} from './schema.ts'
import { readMaintenancePage } from './store.ts'

const DEFAULT_PAGE_SIZE = 20
const MAX_PAGE_SIZE = 100

const tags = ['Maintenances']
const readAccess = { access: requireScopes('monitors:read') }
const writeAccess = { access: requireScopes('monitors:write') }

interface MaintenanceRouteDeps extends RouteDeps {
  /** Called when a maintenance has ended or changed, because incidents may now be announced. */
  triggerJob(name: 'announce incidents'): void
}

export function maintenanceRoutes(app: App, services: MaintenanceRouteDeps): void {
  const { clock, db, triggerJob } = services

  app.get(
    '/api/maintenances',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listMaintenances',
        summary: 'List maintenances, newest first',
        querystring: Type.Object({ ...MaintenanceQuery.properties, ...pageQuery(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE) }),
        response: { 200: pagedListResponse(MaintenanceRecord) },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const query = { state: request.query.state, limit: page.limit, offset: page.offset, now: clock.now() }
      const { rows, total } = await db.as(callerOf(request)).snapshot((q) => readMaintenancePage(q, query))
      return { data: rows.map(toMaintenanceRecord), meta: toPageMeta(page, total) }
    },
  )

  app.post(
    '/api/maintenances',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'createMaintenance',
        summary: 'Create a maintenance, or begin one now',
        description:
          'Its monitors are still checked, but no alerts are sent about incidents that begin during the maintenance, and the time does not count towards uptime. Incidents that are still ongoing at the end are announced then. Without `starts_at` and `recurrence`, the maintenance begins immediately.',
        body: CreateMaintenance,
        response: { 201: MaintenanceResponse },
        acceptsIdempotencyKey: true,
      },
    },
    (request, reply) =>
      createIdempotently(services, { request, reply }, async (q) => {
        const row = await createMaintenance(q, callerOf(request).teamId, request.body, services)
        return { path: `/api/maintenances/${row.id}`, responseBody: { data: toMaintenanceRecord(row) } }
      }),
  )

  app.get(
    '/api/maintenances/:id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getMaintenance',
        summary: 'Get a maintenance',
        params: idParams,
        response: { 200: MaintenanceResponse },
      },
    },
    async (request) => ({
      data: toMaintenanceRecord(await getMaintenance(db.as(callerOf(request)), request.params.id, clock.now())),
    }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/maintenances/:id',
      config: writeAccess,
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updateMaintenance' : 'patchMaintenance',
        summary: `Update a maintenance${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description:
          'Fields that are not sent do not change. A change of `recurrence` takes effect with the next window. A window in progress stays as it is.',
        params: idParams,
        body: UpdateMaintenance,
        response: { 200: MaintenanceResponse },
      },
      handler: async (request) => {
        const caller = callerOf(request)
        const row = await db
          .as(caller)
          .transaction((q) =>
            updateMaintenance(q, caller.teamId, { id: request.params.id, input: request.body }, services),
          )
        triggerJob('announce incidents')
        return { data: toMaintenanceRecord(row) }
      },
    })
  }

  app.post(
    '/api/maintenances/:id/end',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'endMaintenance',
        summary: 'End a maintenance now',
        description:
          'Ends the window in progress. A recurring maintenance continues with its next window. Does nothing if the maintenance has already ended.',
        params: idParams,
        response: { 200: MaintenanceResponse },
        errors: [409],
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const row = await db.as(caller).transaction((q) => endMaintenance(q, caller.teamId, request.params.id, clock))
      triggerJob('announce incidents')
      return { data: toMaintenanceRecord(row) }
    },
  )

  app.delete(
    '/api/maintenances/:id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deleteMaintenance',
        summary: 'Delete a maintenance',
        description: 'A maintenance in progress ends now. The time until then still does not count towards uptime.',
        params: idParams,
        response: { 200: deletedResponse('maintenance') },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      await db.as(caller).transaction((q) => deleteMaintenance(q, caller.teamId, id, clock))
      triggerJob('announce incidents')
      return toDeleted('maintenance', id)
    },
  )
}
