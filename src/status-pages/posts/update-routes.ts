import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import { createIdempotently } from '../../http/idempotent-create.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { notFound } from '../../lib/problem.ts'
import { deletedResponse, toDeleted } from '../../lib/schemas.ts'
import {
  ChangePostUpdate,
  CreatePostUpdate,
  PostUpdateList,
  PostUpdateResponse,
  postParams,
  postUpdateParams,
} from './schema.ts'
import { listPostUpdates } from './update-store.ts'
import { addPostUpdate, changePostUpdate, deletePostUpdate, getPostUpdate, toPostUpdateRecord } from './updates.ts'

const tags = ['Status pages']
const readAccess = { access: requireScopes('status:read') }
const writeAccess = { access: requireScopes('status:write'), right: 'edit shared' } as const

const listPath = '/api/status-pages/:id/posts/:post_id/updates'
const itemPath = `${listPath}/:update_id`

const toUpdatePath = (params: { id: number; post_id: number; update_id: number }) => ({
  pageId: params.id,
  postId: params.post_id,
  updateId: params.update_id,
})

export function postUpdateRoutes(app: App, deps: RouteDeps): void {
  const { clock, db } = deps

  app.get(
    listPath,
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listPostUpdates',
        summary: 'List the updates of a post, oldest first',
        description: 'The first update is the text of the post itself.',
        params: postParams,
        response: { 200: PostUpdateList },
      },
    },
    async (request) => {
      const { id, post_id } = request.params
      const rows = await listPostUpdates(db.as(callerOf(request)), id, post_id)
      if (rows === undefined) throw notFound()
      return { data: rows.map(toPostUpdateRecord), meta: { total: rows.length } }
    },
  )

  app.post(
    listPath,
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'addPostUpdate',
        summary: 'Add an update to a post',
        description:
          'The post gets the state of the update: `resolved` resolves it, and any other state opens a resolved post again. Unless `notify` is false, subscribers get an email.',
        params: postParams,
        body: CreatePostUpdate,
        response: { 201: PostUpdateResponse },
        acceptsIdempotencyKey: true,
      },
    },
    (request, reply) =>
      createIdempotently(deps, { request, reply }, async (q) => {
        const { id, post_id } = request.params
        const path = { pageId: id, postId: post_id }
        const row = await addPostUpdate(q, {
          teamId: callerOf(request).teamId,
          path,
          input: request.body,
          now: clock.now(),
        })
        return {
          path: `/api/status-pages/${id}/posts/${post_id}/updates/${row.id}`,
          responseBody: { data: toPostUpdateRecord(row) },
        }
      }),
  )

  app.get(
    itemPath,
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getPostUpdate',
        summary: 'Get an update of a post',
        params: postUpdateParams,
        response: { 200: PostUpdateResponse },
      },
    },
    async (request) => ({
      data: toPostUpdateRecord(await getPostUpdate(db.as(callerOf(request)), toUpdatePath(request.params))),
    }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: itemPath,
      config: writeAccess,
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updatePostUpdate' : 'patchPostUpdate',
        summary: `Change an update of a post${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: 'Fields that are not sent do not change. Subscribers get no email.',
        params: postUpdateParams,
        body: ChangePostUpdate,
        response: { 200: PostUpdateResponse },
      },
      handler: async (request) => {
        const caller = callerOf(request)
        const path = toUpdatePath(request.params)
        const row = await db
          .as(caller)
          .transaction((q) =>
            changePostUpdate(q, { teamId: caller.teamId, path, input: request.body, now: clock.now() }),
          )
        return { data: toPostUpdateRecord(row) }
      },
    })
  }

  app.delete(
    itemPath,
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deletePostUpdate',
        summary: 'Delete an update of a post',
        description:
          'The post gets the state of its latest remaining update. To delete the first update, delete the post.',
        params: postUpdateParams,
        response: { 200: deletedResponse('post_update') },
        errors: [409],
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const path = toUpdatePath(request.params)
      await db.as(caller).transaction((q) => deletePostUpdate(q, caller.teamId, path, clock.now()))
      return toDeleted('post_update', path.updateId)
    },
  )
}
