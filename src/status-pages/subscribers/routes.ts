import { requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import { pageQuery, toPageMeta, toPageRequest } from '../../http/paging.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { notFound } from '../../lib/problem.ts'
import { deletedResponse, idParams, resourceId, toDeleted } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { SubscriberListResponse, SubscriberQuery, type SubscriberRecord } from './schema.ts'
import { deleteSubscriberOfPage, readSubscribers, type SubscriberRow } from './store.ts'

const DEFAULT_PAGE_SIZE = 20
const MAX_PAGE_SIZE = 100

const tags = ['Status pages']

export function subscriberRoutes(app: App, { db }: RouteDeps): void {
  app.get(
    '/api/status-pages/:id/subscribers',
    {
      config: { access: requireScopes('status:read') },
      schema: {
        tags,
        operationId: 'listSubscribers',
        summary: 'List the email subscribers of a status page, newest first',
        params: idParams,
        querystring: Type.Object({ ...SubscriberQuery.properties, ...pageQuery(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE) }),
        response: { 200: SubscriberListResponse },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const { search = '', state, monitor_ids: monitorIds } = request.query
      const query = { pageId: request.params.id, search, state, monitorIds, limit: page.limit, offset: page.offset }
      const subscriberList = await db.as(callerOf(request)).snapshot((q) => readSubscribers(q, query))
      if (subscriberList === undefined) throw notFound()
      return {
        data: subscriberList.rows.map(toSubscriberRecord),
        meta: { ...toPageMeta(page, subscriberList.total), counts: subscriberList.counts },
      }
    },
  )

  app.delete(
    '/api/status-pages/:id/subscribers/:subscriber_id',
    {
      config: { access: requireScopes('status:write') },
      schema: {
        tags,
        operationId: 'deleteSubscriber',
        summary: 'Remove an email subscriber from a status page',
        description: 'The person gets no more messages. Their address is deleted. They can subscribe again.',
        params: Type.Object({ ...idParams.properties, subscriber_id: resourceId }),
        response: { 200: deletedResponse('subscriber') },
      },
    },
    async (request) => {
      const { id, subscriber_id: subscriberId } = request.params
      const tenant = db.as(callerOf(request))
      if (!(await deleteSubscriberOfPage(tenant, id, subscriberId))) throw notFound()
      return toDeleted('subscriber', subscriberId)
    },
  )
}

function toSubscriberRecord(row: SubscriberRow): SubscriberRecord {
  return {
    ...row,
    created_at: row.created_at.toISOString(),
    confirmed_at: row.confirmed_at?.toISOString() ?? null,
  }
}
