import { getDomain } from 'tldts'
import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import { sendJsonList } from '../http/json-response.ts'
import { linkedListResponse, linkedPageQuery, toPageLinksAndMeta } from '../http/linked-paging.ts'
import { getBaseUrl } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { toTagKeys } from '../tags/tags.ts'
import { formatTrackingSnippet } from './domain.ts'
import type { WebsiteListOptions } from './list-store.ts'
import { normalizeSearch, WebsiteLists } from './lists.ts'
import {
  CreatedWebsiteResponse,
  CreateWebsite,
  ShownWebsiteResponse,
  UpdateWebsite,
  WebsiteQuery,
  WebsiteRecord,
  WebsiteResponse,
} from './schema.ts'
import {
  createWebsite,
  deleteWebsite,
  getWebsite,
  prepareWebsite,
  prepareWebsiteChanges,
  toWebsiteRecord,
  updateWebsite,
} from './websites.ts'

const tags = ['Websites']
const readAccess = { access: requireScopes('websites:read') }
const writeAccess = { access: requireScopes('websites:write') }

export function websiteRoutes(app: App, deps: RouteDeps): void {
  const { clock, config, db } = deps
  const lists = new WebsiteLists()

  app.get(
    '/api/v1/websites',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listWebsites',
        summary: 'List websites',
        querystring: Type.Object({ ...WebsiteQuery.properties, ...linkedPageQuery }),
        response: { 200: linkedListResponse(WebsiteRecord) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const { search, favorite, tag = [] } = request.query
      const { sort_by = 'id', sort = 'desc', per_page: perPage = 10, page = 1 } = request.query
      const options: WebsiteListOptions = {
        favorite,
        tagKeys: toTagKeys(tag),
        sortBy: sort_by,
        direction: sort,
        limit: perPage,
        offset: (page - 1) * perPage,
      }
      const listRequest = { userId: caller.userId, term: normalizeSearch(search), options }
      const { json, count, total } = await lists.read(db.as(caller), listRequest)
      return sendJsonList(reply, json, toPageLinksAndMeta(config, request, { page, perPage, count, total }))
    },
  )

  app.post(
    '/api/v1/websites',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'createWebsite',
        summary: 'Create a website',
        description: 'The domain must be unique on this server. The response includes the tracking snippet.',
        body: CreateWebsite,
        response: { 201: CreatedWebsiteResponse },
        acceptsIdempotencyKey: true,
      },
    },
    async (request, reply) => {
      const website = await prepareWebsite(request.body, config.timeZone)
      return createIdempotently(deps, request, reply, async (q) => {
        const snippet = formatTrackingSnippet(getBaseUrl(config, request), website.domain)
        const row = await createWebsite(q, callerOf(request).userId, website, clock)
        return { path: `/api/v1/websites/${row.id}`, responseBody: { data: toWebsiteRecord(row), meta: { snippet } } }
      })
    },
  )

  app.get(
    '/api/v1/websites/:id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getWebsite',
        summary: 'Show a website',
        params: idParams,
        response: { 200: ShownWebsiteResponse },
      },
    },
    async (request) => {
      const row = await getWebsite(db.as(callerOf(request)), request.params.id)
      return { data: toWebsiteRecord(row), meta: { registrable_domain: getDomain(row.domain) } }
    },
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/v1/websites/:id',
      config: writeAccess,
      schema: {
        tags,
        operationId: method === 'PUT' ? 'updateWebsite' : 'patchWebsite',
        summary: `Update a website${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: "Omitted fields stay unchanged. The domain can't be changed.",
        params: idParams,
        body: UpdateWebsite,
        response: { 200: WebsiteResponse },
      },
      handler: async (request) => {
        const changes = await prepareWebsiteChanges(request.body)
        const row = await updateWebsite(db.as(callerOf(request)), request.params.id, changes, clock)
        return { data: toWebsiteRecord(row) }
      },
    })
  }

  app.delete(
    '/api/v1/websites/:id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deleteWebsite',
        summary: 'Delete a website and its traffic',
        params: idParams,
        response: { 200: deletedResponse('website') },
      },
    },
    async (request) => {
      const { id } = request.params
      await deleteWebsite(db.as(callerOf(request)), id)
      return toDeleted('website', id)
    },
  )
}
