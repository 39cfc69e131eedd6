import type { Static } from 'typebox'
import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import { createIdempotently } from '../../http/idempotent-create.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../../http/paging.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { notFound } from '../../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { createPost, deletePost, getPost, toPostRecord, updatePost } from './posts.ts'
import { CreatePost, PostQuery, PostRecord, PostResponse, postParams, UpdatePost } from './schema.ts'
import { readMonitorPosts, readPostPage } from './store.ts'

const DEFAULT_PAGE_SIZE = 20
const MAX_PAGE_SIZE = 100

const tags = ['Status pages']
const readAccess = { access: requireScopes('status:read') }
const writeAccess = { access: requireScopes('status:write'), right: 'edit shared' } as const

const listQuery = Type.Object({ ...PostQuery.properties, ...pageQuery(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE) })

const toListQuery = ({ state }: Static<typeof PostQuery>, { limit, offset }: { limit: number; offset: number }) => ({
  isOpen: state && state === 'open',
  limit,
  offset,
})

const toPath = ({ id, post_id }: { id: number; post_id: number }) => ({ pageId: id, postId: post_id })

export function postRoutes(app: App, deps: RouteDeps): void {
  const { clock, db } = deps

  app.get(
    '/api/status-pages/:id/posts',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listPosts',
        summary: 'List the posts of a status page, newest first',
        params: idParams,
        querystring: listQuery,
        response: { 200: pagedListResponse(PostRecord) },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const query = { ...toListQuery(request.query, page), pageId: request.params.id }
      const list = await db.as(callerOf(request)).snapshot((q) => readPostPage(q, query))
      if (list === undefined) throw notFound()
      return { data: list.rows.map(toPostRecord), meta: toPageMeta(page, list.total) }
    },
  )

  app.get(
    '/api/monitors/:id/posts',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listMonitorPosts',
        summary: 'List the posts about a monitor on all status pages, newest first',
        params: idParams,
        querystring: listQuery,
        response: { 200: pagedListResponse(PostRecord) },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const query = { ...toListQuery(request.query, page), monitorId: request.params.id }
      const list = await db.as(callerOf(request)).snapshot((q) => readMonitorPosts(q, query))
      if (list === undefined) throw notFound()
      return { data: list.rows.map(toPostRecord), meta: toPageMeta(page, list.total) }
    },
  )

  app.post(
    '/api/status-pages/:id/posts',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'createPost',
        summary: 'Create a post on a status page',
        description: 'Visitors see it immediately. Unless `notify` is false, subscribers get an email.',
        params: idParams,
        body: CreatePost,
        response: { 201: PostResponse },
        acceptsIdempotencyKey: true,
      },
    },
    (request, reply) =>
      createIdempotently(deps, { request, reply }, async (q) => {
        const pageId = request.params.id
        const row = await createPost(q, {
          teamId: callerOf(request).teamId,
          pageId,
          input: request.body,
          now: clock.now(),
        })
        return { path: `/api/status-pages/${pageId}/posts/${row.id}`, responseBody: { data: toPostRecord(row) } }
      }),
  )

  app.get(
    '/api/status-pages/:id/posts/:post_id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getPost',
        summary: 'Get a post',
        params: postParams,
        response: { 200: PostResponse },
      },
    },
    async (request) => ({ data: toPostRecord(await getPost(db.as(callerOf(request)), toPath(request.params))) }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/status-pages/:id/posts/:post_id',
      config: writeAccess,
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updatePost' : 'patchPost',
        summary: `Update a post${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description:
          'Fields that are not sent do not change. Subscribers get no email. To tell them what is new, add an update instead.',
        params: postParams,
        body: UpdatePost,
        response: { 200: PostResponse },
      },
      handler: async (request) => {
        const caller = callerOf(request)
        const path = toPath(request.params)
        const row = await db
          .as(caller)
          .transaction((q) => updatePost(q, { teamId: caller.teamId, path, input: request.body, now: clock.now() }))
        return { data: toPostRecord(row) }
      },
    })
  }

  app.delete(
    '/api/status-pages/:id/posts/:post_id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deletePost',
        summary: 'Delete a post and its updates',
        params: postParams,
        response: { 200: deletedResponse('post') },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const path = toPath(request.params)
      await db.as(caller).transaction((q) => deletePost(q, caller.teamId, path, clock.now()))
      return toDeleted('post', path.postId)
    },
  )
}
