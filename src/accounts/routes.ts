/** Routes with which admins manage users, and users read their own account and change their own password. */
import { adminOnly, sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf, sessionOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { hashPassword, verifyPassword } from '../lib/password-hash.ts'
import { invalid } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { MAX_USER_PAGE_SIZE } from '../shared/limits.ts'
import { limitLockWaits } from '../storage/statements.ts'
import { ownAccountRoutes } from './own-account-routes.ts'
import { ChangePassword, CreateUser, PasswordChangedResponse, UserRecord, UserResponse } from './schema.ts'
import { findPasswordHash, listUsers, type UserRow } from './store.ts'
import { changePassword, createUser, deleteUser, getUser, prepareUser } from './users.ts'
import { limitFailuresBySession } from './wrong-passwords.ts'

const DEFAULT_PAGE_SIZE = 100

function toUserRecord(row: UserRow): UserRecord {
  return { id: row.id, email: row.email, is_admin: row.is_admin, created_at: row.created_at.toISOString() }
}

export function accountRoutes(app: App, deps: RouteDeps): void {
  const { clock, db } = deps
  ownAccountRoutes(app, deps)

  app.get(
    '/api/users',
    {
      config: { access: adminOnly },
      schema: {
        tags: ['Users'],
        operationId: 'listUsers',
        summary: 'List users',
        querystring: Type.Object(pageQuery(DEFAULT_PAGE_SIZE, MAX_USER_PAGE_SIZE)),
        response: { 200: pagedListResponse(UserRecord) },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const { users, total } = await listUsers(db.as(callerOf(request)), page)
      return { data: users.map(toUserRecord), meta: toPageMeta(page, total) }
    },
  )

  app.post(
    '/api/users',
    {
      config: { access: adminOnly },
      schema: {
        tags: ['Users'],
        operationId: 'createUser',
        summary: 'Create a user',
        body: CreateUser,
        response: { 201: UserResponse },
        acceptsIdempotencyKey: true,
      },
    },
    async (request, reply) => {
      const { email, password, is_admin: isAdmin = false } = request.body
      const user = await prepareUser({ email, password, isAdmin })
      return createIdempotently(deps, { request, reply }, async (q) => {
        const row = await createUser(q, user, clock)
        return { path: `/api/users/${row.id}`, responseBody: { data: toUserRecord(row) } }
      })
    },
  )

  app.get(
    '/api/users/:id',
    {
      config: { access: adminOnly },
      schema: {
        tags: ['Users'],
        operationId: 'getUser',
        summary: 'Get a user',
        params: idParams,
        response: { 200: UserResponse },
      },
    },
    async (request) => ({ data: toUserRecord(await getUser(db.as(callerOf(request)), request.params.id)) }),
  )

  app.delete(
    '/api/users/:id',
    {
      config: { access: adminOnly },
      schema: {
        tags: ['Users'],
        operationId: 'deleteUser',
        summary: 'Delete a user',
        description:
          'Also deletes every team in which nobody else is a member, with everything in it. The last admin of the server, and the last owner of a team with other members, can not be deleted.',
        params: idParams,
        response: { 200: deletedResponse('user') },
        errors: [409],
      },
    },
    async (request) => {
      const { id } = request.params
      // Deleting everything of a large account can take longer than a request may wait for the database.
      await db
        .on('background')
        .as(callerOf(request))
        .transaction(async (q) => {
          await limitLockWaits(q)
          await deleteUser(q, id)
        })
      return toDeleted('user', id)
    },
  )

  app.put(
    '/api/account/password',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags: ['Session'],
        operationId: 'changePassword',
        summary: 'Update your own password',
        description: 'Ends all other sessions of the user.',
        body: ChangePassword,
        response: { 200: PasswordChangedResponse },
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const { current_password: currentPassword, new_password: newPassword } = request.body
      const tenant = db.as(caller)
      const isChanged = await limitFailuresBySession(deps, caller.sessionId, async () => {
        const storedHash = await findPasswordHash(tenant, caller.userId)
        if (!(await verifyPassword(storedHash, currentPassword)) || storedHash === undefined) return undefined
        const hashes = { current: storedHash, new: await hashPassword(newPassword) }
        return (await tenant.transaction((q) => changePassword(q, caller, hashes))) ? true : undefined
      })
      if (!isChanged) throw invalid({ current_password: ['`current_password` is incorrect.'] })
      return { data: { changed: true as const } }
    },
  )
}
