import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import { createIdempotently } from '../../http/idempotent-create.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { deletedResponse, idParams, toDeleted } from '../../lib/schemas.ts'
import { CreatePostTemplate, PostTemplateList, PostTemplateResponse, UpdatePostTemplate } from './schema.ts'
import { listPostTemplates } from './template-store.ts'
import {
  createPostTemplate,
  deletePostTemplate,
  getPostTemplate,
  toPostTemplateRecord,
  updatePostTemplate,
} from './templates.ts'

const tags = ['Status pages']
const readAccess = { access: requireScopes('status:read') }
const writeAccess = { access: requireScopes('status:write') }

export function postTemplateRoutes(app: App, deps: RouteDeps): void {
  const { clock, db } = deps

  app.get(
    '/api/status-post-templates',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listPostTemplates',
        summary: 'List post templates by name',
        response: { 200: PostTemplateList },
      },
    },
    async (request) => {
      const rows = await listPostTemplates(db.as(callerOf(request)))
      return { data: rows.map(toPostTemplateRecord), meta: { total: rows.length } }
    },
  )

  app.post(
    '/api/status-post-templates',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'createPostTemplate',
        summary: 'Create a post template',
        description: 'It appears in the menu Templates of new posts and updates.',
        body: CreatePostTemplate,
        response: { 201: PostTemplateResponse },
        acceptsIdempotencyKey: true,
      },
    },
    (request, reply) =>
      createIdempotently(deps, { request, reply }, async (q) => {
        const row = await createPostTemplate(q, callerOf(request).teamId, request.body, clock.now())
        return { path: `/api/status-post-templates/${row.id}`, responseBody: { data: toPostTemplateRecord(row) } }
      }),
  )

  app.get(
    '/api/status-post-templates/:id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getPostTemplate',
        summary: 'Get a post template',
        params: idParams,
        response: { 200: PostTemplateResponse },
      },
    },
    async (request) => ({
      data: toPostTemplateRecord(await getPostTemplate(db.as(callerOf(request)), request.params.id)),
    }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/status-post-templates/:id',
      config: writeAccess,
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updatePostTemplate' : 'patchPostTemplate',
        summary: `Update a post template${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: 'Fields that are not sent do not change. Posts that began with the template stay as they are.',
        params: idParams,
        body: UpdatePostTemplate,
        response: { 200: PostTemplateResponse },
      },
      handler: async (request) => {
        const row = await db
          .as(callerOf(request))
          .transaction((q) => updatePostTemplate(q, request.params.id, request.body, clock.now()))
        return { data: toPostTemplateRecord(row) }
      },
    })
  }

  app.delete(
    '/api/status-post-templates/:id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deletePostTemplate',
        summary: 'Delete a post template',
        params: idParams,
        response: { 200: deletedResponse('post_template') },
      },
    },
    async (request) => {
      const { id } = request.params
      await deletePostTemplate(db.as(callerOf(request)), id)
      return toDeleted('post_template', id)
    },
  )
}
