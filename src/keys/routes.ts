import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { sendCreated } from '../http/idempotent-create.ts'
import { sendJsonList } from '../http/json-response.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { createKey, deleteKey } from './keys.ts'
import { CreatedKeyResponse, CreateKey, DeleteKeyQuery, KeyList, type KeyRecord, KeyResponse } from './schema.ts'
import { findKey, type KeyRow, listKeys } from './store.ts'

function toKeyRecord(row: KeyRow): KeyRecord {
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    prefix: row.prefix,
    created_by_key: row.created_by_key,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    ...(row.expires_at && { expires_at: row.expires_at.toISOString() }),
    ...(row.allowed_ips && { allowed_ips: row.allowed_ips }),
    ...(row.last_used_ip && { last_used_ip: row.last_used_ip }),
    ...(row.user_email && { user_email: row.user_email }),
  }
}

export function keyRoutes(app: App, deps: RouteDeps): void {
  const { clock, db } = deps

  app.post(
    '/api/keys',
    {
      config: { access: requireScopes(), right: 'read' },
      schema: {
        tags: ['API keys'],
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          'The response contains the key itself, which is never shown again. The key acts in the team in which you create it, with at most your role. A key can create keys that can do no more than itself: with some of its scopes (403 `missing_scope`), that expire no later, and within its allowed addresses (403 `forbidden`).',
        body: CreateKey,
        response: { 201: CreatedKeyResponse },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { key, ...row } = await db.as(caller).transaction((q) => createKey(q, caller, request.body, clock))
      const responseBody = { data: { ...toKeyRecord(row), key } }
      return sendCreated(deps, request, reply, { path: `/api/keys/${row.id}`, responseBody })
    },
  )

  app.get(
    '/api/keys',
    {
      config: { access: requireScopes() },
      schema: {
        tags: ['API keys'],
        operationId: 'listApiKeys',
        summary: 'List API keys, newest first',
        description:
          'Lists your keys in this team, without the keys themselves. Owners and admins see the keys of all members.',
        response: { 200: KeyList },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { json, count } = await listKeys(db.as(caller), caller.userId)
      return sendJsonList(reply, json, { meta: { total: count } })
    },
  )

  app.get(
    '/api/keys/:id',
    {
      config: { access: requireScopes() },
      schema: {
        tags: ['API keys'],
        operationId: 'getApiKey',
        summary: 'Get an API key',
        description: 'Returns the name, the scopes and the last use of the key, but not the key itself.',
        params: idParams,
        response: { 200: KeyResponse },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const row = await findKey(db.as(caller), request.params.id, caller.userId)
      if (row === undefined) throw notFound()
      return { data: toKeyRecord(row) }
    },
  )

  app.delete(
    '/api/keys/:id',
    {
      config: { access: requireScopes(), right: 'read' },
      schema: {
        tags: ['API keys'],
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description:
          'The key stops working immediately, on every node. A key can only revoke keys that can do no more than itself: with some of its scopes, that expire no later, and within its allowed addresses.',
        params: idParams,
        querystring: DeleteKeyQuery,
        response: { 200: deletedResponse('api_key') },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      await db.as(caller).transaction((q) => deleteKey(q, caller, id, request.query.descendants))
      return toDeleted('api_key', id)
    },
  )
}
