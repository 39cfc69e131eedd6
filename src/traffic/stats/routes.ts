/** Statistics of a website, for everybody who may read them. */
import type { FastifyRequest } from 'fastify'
import { optionalCaller } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { linkedListResponse, linkedPageQuery, toPageLinksAndMeta } from '../../http/linked-paging.ts'
import { prefersToJson } from '../../http/prefers-to-json.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { idParams } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { authorizeStatistics } from './access.ts'
import { CsvDownloads } from './csv-downloads.ts'
import { parseFilters } from './filters.ts'
import type { PanelExport } from './panels.ts'
import {
  isSeriesName,
  OverviewQuery,
  resolveComparison,
  resolveDateRange,
  resolveInterval,
  resolveSorting,
  StatisticsQuery,
} from './query.ts'
import { StatisticsListRow, StatisticsOverviewResponse } from './schema.ts'
import type { Statistics } from './statistics.ts'

const tags = ['Statistics']

const wantsCsv = ({ headers: { accept } }: FastifyRequest) => prefersToJson(accept, 'text/csv')

export function statisticsRoutes(app: App, services: RouteDeps & { statistics: Statistics }): void {
  const { clock, config, statistics } = services
  const csvDownloads = new CsvDownloads(services)

  const authorizeRequest = (request: FastifyRequest, id: number) =>
    authorizeStatistics(services, { caller: request.caller, cookieHeader: request.headers.cookie }, id)

  app.get(
    '/api/v1/stats/:id',
    {
      config: { access: optionalCaller('websites:read') },
      schema: {
        tags,
        operationId: 'getStatistics',
        summary: 'Get statistics',
        description:
          'Returns one series or one panel. A series has every day or hour of the range, with 0 where nothing happened, and is not paged. `count` is the number of page views for `page`, of events for `event`, and of visitors for all other names. With `details`, the rows of a panel also have visitors, visits, page views, bounce rate and visit duration, which takes longer if the range has many visits. With `Accept: text/csv` all rows are returned as CSV. Readers who don’t own the website get 422 if there are more than 10,000 rows, and 429 after 10 downloads in a minute.',
        params: idParams,
        querystring: Type.Object({ ...StatisticsQuery.properties, ...linkedPageQuery }),
        response: {
          200: {
            description: 'Success',
            content: {
              'application/json': { schema: linkedListResponse(StatisticsListRow) },
              'text/csv': { schema: Type.String({ examples: ['page,count\r\n/pricing,42\r\n'] }) },
            },
          },
        },
      },
    },
    async (request, reply) => {
      const { site, reader } = await authorizeRequest(request, request.params.id)
      const { name, search = '', per_page: perPage = 10, page = 1 } = request.query
      const sorting = resolveSorting(request.query)
      const isHourly = name.endsWith('_hours')
      const range = resolveDateRange(request.query, { timeZone: site.timeZone, clock, isHourly })
      const filters = parseFilters(request.query.filter ?? [])
      const isCsv = wantsCsv(request)
      const sendCsv = async (firstColumnName: string, prepare: () => Promise<PanelExport>) => {
        const isHead = request.method === 'HEAD'
        const columns = { firstColumnName, hasDetails: sorting.hasDetails }
        const csv = isHead ? '' : await csvDownloads.open({ reader, clientIp: request.ip }, columns, prepare)
        const fileName = `${site.domain}-${name}-${range.from}-${range.to}.csv`
        reply.type('text/csv; charset=utf-8').header('content-disposition', `attachment; filename="${fileName}"`)
        return reply.send(csv as never)
      }
      if (isSeriesName(name)) {
        const readSeries = () => statistics.series(reader, site, { ...range, name, filters })
        if (isCsv) {
          return sendCsv(isHourly ? 'hour' : 'day', async () => {
            const rows = await readSeries()
            return { total: rows.length, pages: [rows] }
          })
        }
        const rows = await readSeries()
        const onePage = { page: 1, perPage: Math.max(1, rows.length), count: rows.length, total: rows.length }
        return { data: rows, ...toPageLinksAndMeta(config, request, onePage) }
      }
      const query = { ...range, ...sorting, name, search: search.trim(), filters }
      if (isCsv) return sendCsv(name, () => statistics.exportPanel(reader, site, query))
      const { rows, total } = await statistics.panel(reader, site, {
        ...query,
        limit: perPage,
        offset: (page - 1) * perPage,
      })
      return { data: rows, ...toPageLinksAndMeta(config, request, { page, perPage, count: rows.length, total }) }
    },
  )

  app.get(
    '/api/v1/stats/:id/overview',
    {
      config: { access: optionalCaller('websites:read') },
      schema: {
        tags,
        operationId: 'getStatisticsOverview',
        summary: 'Get an overview',
        description:
          'Returns totals, series and panels of a website, all read from one snapshot. If the range contains today, `previous.totals` and `change` compare with the same part of the earlier period: until the same time of the day.',
        params: idParams,
        querystring: OverviewQuery,
        response: { 200: StatisticsOverviewResponse },
      },
    },
    async (request) => {
      const { site, reader } = await authorizeRequest(request, request.params.id)
      const range = resolveDateRange(request.query, { timeZone: site.timeZone, clock })
      const filters = parseFilters(request.query.filter ?? [])
      const interval = resolveInterval(range, request.query.interval)
      const comparison = resolveComparison(request.query)
      return { data: await statistics.overview(reader, site, { ...range, interval, comparison, filters }) }
    },
  )
}
