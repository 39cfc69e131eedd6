/** The public URLs of status pages. Most requests never get here: see `fast-path-routes.ts`. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageVisitor } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../lib/problem.ts'
import { Type } from '../../lib/type.ts'
import { BadgeQuery } from '../badges/schema.ts'
import { PublicStatusResponse } from '../feeds/schema.ts'
import { statusPageFontRoutes } from './font-routes.ts'
import { type PageFormat, toCanonicalSlug } from './formats.ts'
import { statusHistoryRoutes } from './history-routes.ts'
import { createPageErrorHandler, openRequestedPage, type StatusPageServeDeps } from './requested-page-routes.ts'
import { respondWithPage } from './respond.ts'
import { unlockPageRoutes } from './unlock-routes.ts'

const Params = Type.Object({ slug: Type.String({ examples: ['example'] }) })
const MonitorParams = Type.Object({ ...Params.properties, monitor_id: Type.Integer({ minimum: 1 }) })

const tags = ['Status pages']

export function statusPagePublicRoutes(app: App, deps: StatusPageServeDeps): void {
  const { clock, config, db } = deps
  const pageOptions = {
    config: { access: pageVisitor },
    // Most requests run no query as the caller, so only this query notices a revoked key.
    preHandler: async ({ caller }: FastifyRequest) => {
      if (caller?.kind === 'key') await db?.as(caller).confirm()
    },
  }

  async function sendPage(
    request: FastifyRequest,
    reply: FastifyReply,
    { format, ...options }: { format: PageFormat; monitorId?: number; badgeQuery?: BadgeQuery },
  ) {
    const page = await openRequestedPage(deps, request, reply)
    if (page === undefined) return reply
    const { foundCopy, pathPrefix } = page
    const visit = { format, ...options, headers: request.headers, pathPrefix, serverUrl: config.url }
    const { status, headers: responseHeaders, body } = await respondWithPage(foundCopy, visit, clock)
    return reply.code(status).headers(responseHeaders).send(body)
  }

  app.get(
    '/status/:slug',
    {
      ...pageOptions,
      schema: { hide: true, params: Params },
      errorHandler: createPageErrorHandler(deps),
    },
    (request, reply) => sendPage(request, reply, { format: 'html' }),
  )

  app.get('/status/:slug/', { ...pageOptions, schema: { hide: true, params: Params } }, (request, reply) => {
    const canonicalSlug = toCanonicalSlug(request.params.slug)
    if (canonicalSlug === undefined) throw notFound()
    return reply.redirect(`../${canonicalSlug}${queryOf(request)}`, 301)
  })

  app.get(
    '/status/:slug.json',
    {
      ...pageOptions,
      schema: {
        tags,
        operationId: 'getPublicStatus',
        summary: 'Get a status page as JSON',
        description:
          'Needs no credentials if the page is public. Pages with a password need the cookie that the form of the page sets; private pages need a session that acts in their team.',
        params: Params,
        response: { 200: PublicStatusResponse },
        errors: [401],
      },
    },
    (request, reply) => sendPage(request, reply, { format: 'json' }) as never,
  )

  const hiddenFormats = [
    ['/status/:slug.atom', 'atom'],
    ['/status/:slug.rss', 'rss'],
    ['/status/:slug/feed.json', 'feed'],
  ] as const
  for (const [url, format] of hiddenFormats) {
    app.get(url, { ...pageOptions, schema: { hide: true, params: Params } }, (request, reply) =>
      sendPage(request, reply, { format }),
    )
  }

  app.get('/status/:slug/logo', { ...pageOptions, schema: { hide: true, params: Params } }, (request, reply) =>
    sendPage(request, reply, { format: 'logo' }),
  )

  app.get(
    '/status/:slug/badge.svg',
    { ...pageOptions, schema: { hide: true, params: Params, querystring: BadgeQuery } },
    (request, reply) => sendPage(request, reply, { format: 'badge', badgeQuery: request.query }),
  )

  app.get(
    '/status/:slug/:monitor_id/badge.svg',
    { ...pageOptions, schema: { hide: true, params: MonitorParams, querystring: BadgeQuery } },
    (request, reply) =>
      sendPage(request, reply, { format: 'badge', badgeQuery: request.query, monitorId: request.params.monitor_id }),
  )

  statusPageFontRoutes(app)
  statusHistoryRoutes(app, deps, pageOptions)
  unlockPageRoutes(app, deps)
}

/** Makes the status pages of a user show the user's changes immediately. */
export function notePageChanges(app: App, { statusPageCopies }: Pick<StatusPageServeDeps, 'statusPageCopies'>): void {
  app.addHook('onSend', (request, reply, _payload, done) => {
    const isChange = request.method !== 'GET' && request.method !== 'HEAD' && reply.statusCode < 400
    if (isChange && request.caller !== undefined) statusPageCopies.noteChange(request.caller.teamId)
    if (!isChange || !changesAccess(request)) return done()
    const { id } = request.params as { id: number }
    statusPageCopies.forget(id).then(() => done(), done)
  })
}

function changesAccess({ method, routeOptions, body }: FastifyRequest): boolean {
  if (routeOptions.url !== '/api/status-pages/:id') return false
  return method === 'DELETE' || ['privacy', 'password'].some((field) => field in (body as object))
}

const queryOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')
