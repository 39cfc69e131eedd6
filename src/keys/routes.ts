import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendCreated } from '../http/creation.ts'
import { sendJsonList } from '../http/json.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { toDeleted, deletedResponse, idParams } from '../lib/schemas.ts'
import { createKey, deleteKey } from './keys.ts'
import { CreatedKey, CreateKey, DeleteKeyQuery, KeyAnswer, KeyList, type KeyRecord } from './schema.ts'
import { findKey, type KeyRow, listKeys } from './store.ts'

function recordOf(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    created_by_key: row.created_by_key,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}

export function keyRoutes(app: App, services: RouteDeps): void {
  const { clock, db } = services

  app.post(
    '/api/keys',
    {
      config: { access: caller() },
      schema: {
        tags: ['API keys'],
        summary: 'Create a key',
        description: 'The key itself is in this answer and never shown again. A key makes keys within its own scopes.',
        body: CreateKey,
        response: { 201: CreatedKey },
      },
    },
    async (request, reply) => {
      const who = callerOf(request)
      const { key, ...row } = await db.as(who).transaction((q) => createKey(q, who, request.body, clock))
      const answer = { data: { ...recordOf(row), key } }
      return sendCreated(services, request, reply, { path: `/api/keys/${row.id}`, answer })
    },
  )

  app.get(
    '/api/keys',
    {
      config: { access: caller() },
      schema: { tags: ['API keys'], summary: 'List keys, newest first', response: { 200: KeyList } },
    },
    async (request, reply) => {
      const { json, count } = await listKeys(db.as(callerOf(request)))
      return sendJsonList(reply, json, { meta: { total: count } })
    },
  )

  app.get(
    '/api/keys/:id',
    {
      config: { access: caller() },
      schema: { tags: ['API keys'], summary: 'Show a key', params: idParams, response: { 200: KeyAnswer } },
    },
    async (request) => {
      const row = await findKey(db.as(callerOf(request)), request.params.id)
      if (row === undefined) throw notFound()
      return { data: recordOf(row) }
    },
  )

  app.delete(
    '/api/keys/:id',
    {
      config: { access: caller() },
      schema: {
        tags: ['API keys'],
        summary: 'Revoke a key',
        description: 'It stops working at once, on every node. A key reaches only keys within its own scopes.',
        params: idParams,
        querystring: DeleteKeyQuery,
        response: { 200: deletedResponse('api_key') },
      },
    },
    async (request) => {
      const who = callerOf(request)
      const { id } = request.params
      await db.as(who).transaction((q) => deleteKey(q, who, id, request.query.descendants))
      return toDeleted('api_key', id)
    },
  )
}
