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
import type { Cluster } from '../nodes/cluster.ts'
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
  FIRST_WATCHING_SCHEMA_VERSION,
  hasWatchFields,
  requirePlausibleWatch,
  type SilenceForecast,
  toWatchChanges,
  updateWatchedWebsite,
} from './watches.ts'
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

interface WebsiteRouteDeps extends RouteDeps {
  cluster: Pick<Cluster, 'requireUpgraded'>
  silenceReplays: SilenceForecast
}

export function websiteRoutes(app: App, deps: WebsiteRouteDeps): void {
  const { clock, config, db } = deps
  const lists = new WebsiteLists()
  const requireWatchingNodes = ({ watch_traffic, watch_spikes }: UpdateWebsite) => {
    if (!watch_traffic && !watch_spikes) return
    for (const role of ['checker', 'worker'] as const) deps.cluster.requireUpgraded(role, FIRST_WATCHING_SCHEMA_VERSION)
  }

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
      const listRequest = { caller, term: normalizeSearch(search), options }
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
      const { teamId } = callerOf(request)
      requireWatchingNodes(request.body)
      return createIdempotently(deps, { request, reply }, async (q) => {
        const snippet = formatTrackingSnippet(getBaseUrl(config, request), website.domain)
        const newRow = await createWebsite(q, teamId, website, clock)
        const row = hasWatchFields(request.body)
          ? await updateWatchedWebsite(q, teamId, { id: newRow.id, ...toWatchChanges(request.body) }, deps)
          : newRow
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
        summary: 'Get a website',
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
      config: { ...writeAccess, right: 'edit shared' },
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
        const { body } = request
        const { id } = request.params
        const caller = callerOf(request)
        const tenant = db.as(caller)
        const changes = await prepareWebsiteChanges(body)
        if (!hasWatchFields(body)) return { data: toWebsiteRecord(await updateWebsite(tenant, id, changes, clock)) }
        requireWatchingNodes(body)
        await requirePlausibleWatch(
          tenant,
          caller.teamId,
          { website: await getWebsite(tenant, id), input: body },
          deps.silenceReplays,
        )
        const allChanges = { id, ...toWatchChanges(body), changes }
        const row = await tenant.transaction((q) => updateWatchedWebsite(q, caller.teamId, allChanges, deps))
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
      await db.as(callerOf(request)).transaction((q) => deleteWebsite(q, id))
      return toDeleted('website', id)
    },
  )
}
