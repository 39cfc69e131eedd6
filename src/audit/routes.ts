import { Readable } from 'node:stream'
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { pagedListResponse, pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import { prefersToJson } from '../http/prefers-to-json.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { toUtcDay } from '../lib/local-day.ts'
import { Type } from '../lib/type.ts'
import { AuditLists, toAuditFilter, toAuditRecord } from './audit.ts'
import { AuditQuery, AuditRecord } from './schema.ts'

const DEFAULT_PAGE_SIZE = 50
const MAX_PAGE_SIZE = 200

export function auditRoutes(app: App, { clock, config, db }: RouteDeps): void {
  const lists = new AuditLists()

  app.get(
    '/api/audit',
    {
      config: { access: sessionOnly, right: 'manage' },
      schema: {
        tags: ['Teams'],
        operationId: 'listAuditEntries',
        summary: 'List who changed what in the team, newest first',
        description:
          'For owners and admins. Pages reach the newest 10,000 entries that match, which is also the largest `total`: use `to` to see older ones. With `Accept: text/csv`, all entries that match are returned as CSV.',
        querystring: Type.Object({ ...AuditQuery.properties, ...pageQuery(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE) }),
        response: {
          200: {
            description: 'Success',
            content: {
              'application/json': { schema: pagedListResponse(AuditRecord) },
              'text/csv': {
                schema: Type.String({ examples: ['id,at,actor_kind,…\r\n812,2026-01-05T10:00:00.000Z,user,…\r\n'] }),
              },
            },
          },
        },
        errors: [403],
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const tenant = db.as(caller)
      const filter = toAuditFilter(request.query, config.timeZone)
      if (prefersToJson(request.headers.accept, 'text/csv')) {
        // Refuses the request before the response begins.
        await tenant.confirm()
        const lines =
          request.method === 'HEAD'
            ? ''
            : Readable.from(lists.formatCsv(tenant, caller.teamId, filter), { objectMode: false })
        reply.type('text/csv; charset=utf-8')
        reply.header('content-disposition', `attachment; filename="audit-${toUtcDay(clock.now())}.csv"`)
        return reply.send(lines as never)
      }
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const { rows, total } = await lists.read(tenant, caller.teamId, filter, page)
      return { data: rows.map(toAuditRecord), meta: toPageMeta(page, total) }
    },
  )
}
