import { Type } from 'typebox'
import { caller } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { answerCreation } from '../http/creation.ts'
import { sendJsonList } from '../http/json.ts'
import { linkedListOf, linkedPageQuery, linkPages } from '../http/linked-paging.ts'
import { baseUrl } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { toDeleted, deletedResponse, idParams } from '../lib/schemas.ts'
import type { Listing } from './list-store.ts'
import { termOf, WebsiteLists } from './lists.ts'
import {
  CreatedWebsiteAnswer,
  CreateWebsite,
  UpdateWebsite,
  WebsiteAnswer,
  WebsiteQuery,
  WebsiteRecord,
} from './schema.ts'
import { snippetOf } from './snippet.ts'
import type { WebsiteRow } from './store.ts'
import { changeWebsite, createWebsite, getWebsite, prepareChanges, prepareWebsite, removeWebsite } from './websites.ts'

const tags = ['Websites']
const reading = { access: caller('websites:read') }
const writing = { access: caller('websites:write') }

function recordOf(row: WebsiteRow): WebsiteRecord {
  return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString() }
}

export function websiteRoutes(app: App, services: RouteDeps): void {
  const { clock, config, db } = services
  const lists = new WebsiteLists()

  app.get(
    '/api/v1/websites',
    {
      config: reading,
      schema: {
        tags,
        summary: 'List websites',
        querystring: Type.Object({ ...WebsiteQuery.properties, ...linkedPageQuery }),
        response: { 200: linkedListOf(WebsiteRecord) },
      },
    },
    async (request, reply) => {
      const who = callerOf(request)
      const { search, favorite, sort_by = 'id', sort = 'desc', per_page: perPage = 10, page = 1 } = request.query
      const listing: Listing = {
        favorite,
        sortBy: sort_by,
        direction: sort,
        limit: perPage,
        offset: (page - 1) * perPage,
      }
      const wanted = { userId: who.userId, term: termOf(search), listing }
      const { json, count, total } = await lists.read(db.as(who), wanted)
      return sendJsonList(reply, json, linkPages(config, request, { page, perPage, count, total }))
    },
  )

  app.post(
    '/api/v1/websites',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Create a website',
        description: 'The domain is unique on this server. The answer has the snippet that counts its visitors.',
        body: CreateWebsite,
        response: { 201: CreatedWebsiteAnswer },
        repeatable: true,
      },
    },
    async (request, reply) => {
      const website = await prepareWebsite(request.body, config.timeZone)
      return answerCreation(services, request, reply, async (q) => {
        const snippet = snippetOf(baseUrl(config, request), website.domain)
        const row = await createWebsite(q, callerOf(request).userId, website, clock)
        return { path: `/api/v1/websites/${row.id}`, answer: { data: recordOf(row), meta: { snippet } } }
      })
    },
  )

  app.get(
    '/api/v1/websites/:id',
    {
      config: reading,
      schema: { tags, summary: 'Show a website', params: idParams, response: { 200: WebsiteAnswer } },
    },
    async (request) => ({ data: recordOf(await getWebsite(db.as(callerOf(request)), request.params.id)) }),
  )

  for (const method of ['PUT', 'PATCH'] as const) {
    app.route({
      method,
      url: '/api/v1/websites/:id',
      config: writing,
      schema: {
        tags,
        summary: `Update a website${method === 'PATCH' ? ' (the same as PUT)' : ''}`,
        description: 'What is not sent stays as it is. The domain cannot be changed.',
        params: idParams,
        body: UpdateWebsite,
        response: { 200: WebsiteAnswer },
      },
      handler: async (request) => {
        const changes = await prepareChanges(request.body)
        const row = await changeWebsite(db.as(callerOf(request)), request.params.id, changes, clock)
        return { data: recordOf(row) }
      },
    })
  }

  app.delete(
    '/api/v1/websites/:id',
    {
      config: writing,
      schema: {
        tags,
        summary: 'Delete a website with its traffic',
        params: idParams,
        response: { 200: deletedResponse('website') },
      },
    },
    async (request) => {
      const { id } = request.params
      await removeWebsite(db.as(callerOf(request)), id)
      return toDeleted('website', id)
    },
  )
}
