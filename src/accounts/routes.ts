/** Users, for the administrator; one's own password. */
import { Type } from 'typebox'
import { administrator, session } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf, sessionOf } from '../http/authentication.ts'
import { answerCreation } from '../http/creation.ts'
import { pageListOf, pageMeta, pageOf, pageQuery } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { clientNetworkOf } from '../lib/network-address.ts'
import { hashPassword, verifyPassword } from '../lib/password-hash.ts'
import { invalid } from '../lib/problem.ts'
import { toDeleted, deletedResponse, idParams } from '../lib/schemas.ts'
import { MAX_USER_PAGE_SIZE } from '../shared/limits.ts'
import { ChangePassword, CreateUser, PasswordChanged, UserAnswer, UserRecord } from './schema.ts'
import { throttled } from './sign-in.ts'
import { findPasswordHash, listUsers, type UserRow } from './store.ts'
import { createUser, deleteUser, getUser, prepareUser, setPassword } from './users.ts'

const DEFAULT_PAGE_SIZE = 100

function recordOf(row: UserRow): UserRecord {
  return { id: row.id, email: row.email, is_admin: row.is_admin, created_at: row.created_at.toISOString() }
}

export function accountRoutes(app: App, services: RouteDeps): void {
  const { clock, db } = services

  app.get(
    '/api/users',
    {
      config: { access: administrator },
      schema: {
        tags: ['Users'],
        summary: 'List users',
        querystring: Type.Object(pageQuery(DEFAULT_PAGE_SIZE, MAX_USER_PAGE_SIZE)),
        response: { 200: pageListOf(UserRecord) },
      },
    },
    async (request) => {
      const page = pageOf(request.query, DEFAULT_PAGE_SIZE)
      const { users, total } = await listUsers(db.as(callerOf(request)), page)
      return { data: users.map(recordOf), meta: pageMeta(page, total) }
    },
  )

  app.post(
    '/api/users',
    {
      config: { access: administrator },
      schema: {
        tags: ['Users'],
        summary: 'Create a user',
        body: CreateUser,
        response: { 201: UserAnswer },
        repeatable: true,
      },
    },
    async (request, reply) => {
      const { email, password, is_admin: isAdmin = false } = request.body
      const user = await prepareUser({ email, password, isAdmin })
      return answerCreation(services, request, reply, async (q) => {
        const row = await createUser(q, user, clock)
        return { path: `/api/users/${row.id}`, answer: { data: recordOf(row) } }
      })
    },
  )

  app.get(
    '/api/users/:id',
    {
      config: { access: administrator },
      schema: { tags: ['Users'], summary: 'Show a user', params: idParams, response: { 200: UserAnswer } },
    },
    async (request) => ({ data: recordOf(await getUser(db.as(callerOf(request)), request.params.id)) }),
  )

  app.delete(
    '/api/users/:id',
    {
      config: { access: administrator },
      schema: {
        tags: ['Users'],
        summary: 'Delete a user with everything that is theirs',
        params: idParams,
        response: { 200: deletedResponse('user') },
        errors: [409],
      },
    },
    async (request) => {
      const { id } = request.params
      await db.as(callerOf(request)).transaction((q) => deleteUser(q, id))
      return toDeleted('user', id)
    },
  )

  app.put(
    '/api/account/password',
    {
      config: { access: session },
      schema: {
        tags: ['Session'],
        summary: 'Change one’s own password',
        description: 'Ends every other session of the user.',
        body: ChangePassword,
        response: { 200: PasswordChanged },
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const { current_password: current, new_password: next } = request.body
      const tenant = db.as(caller)
      const right = await throttled(services, { address: clientNetworkOf(request.ip), account: caller.email }, async () => {
        const kept = await findPasswordHash(tenant, caller.userId)
        return (await verifyPassword(kept, current)) ? true : undefined
      })
      if (!right) throw invalid({ current_password: ['`current_password` is incorrect.'] })
      const hash = await hashPassword(next)
      await tenant.transaction((q) => setPassword(q, caller.userId, hash, caller.sessionId))
      return { data: { changed: true as const } }
    },
  )
}
