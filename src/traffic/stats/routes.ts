/** Statistics of a website, for whoever its privacy lets read them. */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { reader } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { linkedListOf, linkedPageQuery, linkPages } from '../../http/linked-paging.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { idPath } from '../../lib/schemas.ts'
import { openStatistics } from './access.ts'
import { formatStatisticsCsv } from './csv.ts'
import { parseFilters } from './filters.ts'
import { type SeriesName, StatisticsOverviewResponse, StatisticsRow, seriesNames } from './schema.ts'
import type { Statistics } from './statistics.ts'
import { OverviewQuery, resolveDateRange, StatisticsQuery } from './statistics-query.ts'

const tags = ['Statistics']
/** As CSV everything comes at once, up to this many rows. */
const CSV_MOST = 1_000_000

const isSeries = (name: string): name is SeriesName => (seriesNames as readonly string[]).includes(name)

/** Named before JSON; whoever takes anything gets JSON. */
const wantsCsv = ({ headers: { accept = '' } }: FastifyRequest) => /^\s*text\/csv\b/.test(accept)

export function statisticsRoutes(app: App, services: RouteDeps & { statistics: Statistics }): void {
  const { clock, config, statistics } = services

  const open = (request: FastifyRequest, id: number) =>
    openStatistics(services, { caller: request.caller, unlockCookies: request.headers.cookie }, id)

  app.get(
    '/api/v1/stats/:id',
    {
      config: { access: reader('websites:read') },
      schema: {
        tags,
        summary: 'Show statistics',
        description:
          'One series or panel. A series comes whole, with 0 where nothing happened. `count` is page views for page, events for event, and visitors otherwise. With `Accept: text/csv` all rows come as CSV.',
        params: idPath,
        querystring: Type.Object({ ...StatisticsQuery.properties, ...linkedPageQuery }),
        response: {
          200: {
            description: 'Success',
            content: {
              'application/json': { schema: linkedListOf(StatisticsRow) },
              'text/csv': { schema: Type.String({ examples: ['page,count\r\n/pricing,42\r\n'] }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { site, reader } = await open(request, request.params.id)
      const { name, search = '', sort_by: sortBy = 'count', per_page: perPage = 10, page = 1 } = request.query
      const hourly = name.endsWith('_hours')
      const range = resolveDateRange(request.query, { timeZone: site.timeZone, clock, hourly })
      const filters = parseFilters(request.query.filter ?? [])
      const asCsv = wantsCsv(request)
      const sendCsv = (text: string) => {
        const file = `${site.domain}-${name}-${range.from}-${range.to}.csv`
        reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${file}"`)
        return reply.send(text as never)
      }
      if (isSeries(name)) {
        const rows = await statistics.series(reader, site, { ...range, name, filters })
        if (asCsv) return sendCsv(formatStatisticsCsv(hourly ? 'hour' : 'day', rows))
        const whole = { page: 1, perPage: Math.max(1, rows.length), count: rows.length, total: rows.length }
        return { data: rows, ...linkPages(config, request, whole) }
      }
      const direction = request.query.sort ?? (sortBy === 'count' ? 'desc' : 'asc')
      const [limit, offset] = asCsv ? [CSV_MOST, 0] : [perPage, (page - 1) * perPage]
      const question = { ...range, name, search: search.trim(), sortBy, direction, limit, offset, filters }
      const { rows, total } = await statistics.panel(reader, site, question)
      if (asCsv) return sendCsv(formatStatisticsCsv(name, rows))
      return { data: rows, ...linkPages(config, request, { page, perPage, count: rows.length, total }) }
    },
  )

  app.get(
    '/api/v1/stats/:id/overview',
    {
      config: { access: reader('websites:read') },
      schema: {
        tags,
        summary: 'Show an overview',
        description: 'Everything one page about a website needs, as it was at one moment.',
        params: idPath,
        querystring: OverviewQuery,
        response: { 200: StatisticsOverviewResponse },
      },
    },
    async (request) => {
      const { site, reader } = await open(request, request.params.id)
      const range = resolveDateRange(request.query, { timeZone: site.timeZone, clock })
      const filters = parseFilters(request.query.filter ?? [])
      const compare = request.query.compare === 'previous'
      return { data: await statistics.overview(reader, site, { ...range, compare, filters }) }
    },
  )
}
