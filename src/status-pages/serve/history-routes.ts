/** The incident history of a status page, by month. */
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../lib/problem.ts'
import { Type } from '../../lib/type.ts'
import { PublicHistoryResponse } from '../feeds/schema.ts'
import { isMonth } from '../load/months.ts'
import { HistoryRenderings } from './history-renderings.ts'
import { createPageErrorHandler, openRequestedPage, type StatusPageServeDeps } from './requested-page-routes.ts'
import { respondWithRendering } from './respond.ts'

const Params = Type.Object({ slug: Type.String({ examples: ['example'] }) })
const MonthParams = Type.Object({
  ...Params.properties,
  month: Type.String({ description: "A month in the page's time zone", examples: ['2026-11'] }),
})

export function statusHistoryRoutes(
  app: App,
  deps: StatusPageServeDeps,
  pageOptions: Pick<RouteShorthandOptions, 'config' | 'preHandler'>,
): void {
  const { clock, config, statusPageCopies } = deps
  const renderings = new HistoryRenderings(clock)

  async function sendHistory(request: FastifyRequest, reply: FastifyReply, format: 'html' | 'json') {
    const { month } = request.params as { month?: string }
    const page = await openRequestedPage(deps, request, reply)
    if (page === undefined) return reply
    if (month !== undefined && !isMonth(month)) throw notFound()
    const { foundCopy, pathPrefix } = page
    const variant = { format, month, pathPrefix, serverUrl: config.url }
    const rendering = await renderings.render(foundCopy.copy, () => statusPageCopies.source, variant)
    const { status, headers, body } = respondWithRendering(rendering, foundCopy, request.headers)
    return reply.code(status).headers(headers).send(body)
  }

  const htmlOptions = { ...pageOptions, errorHandler: createPageErrorHandler(deps) }
  app.get('/status/:slug/history', { ...htmlOptions, schema: { hide: true, params: Params } }, (request, reply) =>
    sendHistory(request, reply, 'html'),
  )
  app.get(
    '/status/:slug/history/:month',
    { ...htmlOptions, schema: { hide: true, params: MonthParams } },
    (request, reply) => sendHistory(request, reply, 'html'),
  )
  app.get(
    '/status/:slug/history/:month.json',
    {
      ...pageOptions,
      schema: {
        tags: ['Status pages'],
        operationId: 'getPublicHistory',
        summary: "Get a month of a status page's incident history as JSON",
        description:
          'Lists what began in the month: up to 200 incidents, 200 maintenances and 200 posts. Needs the same credentials as `getPublicStatus`.',
        params: MonthParams,
        response: { 200: PublicHistoryResponse },
        errors: [401],
      },
    },
    (request, reply) => sendHistory(request, reply, 'json') as never,
  )
}
