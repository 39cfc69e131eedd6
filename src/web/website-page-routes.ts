/** The statistics page of a website, at the path /<domain>, and its settings page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../http/app-type.ts'
import { prefersHtml } from '../http/html-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound, Problem } from '../lib/problem.ts'
import { Type } from '../lib/type.ts'
import { authorizeStatisticsPage, type StatisticsPage } from '../traffic/stats/access.ts'
import { parseDomain } from '../websites/domain.ts'
import { createPageOptions } from './page-routes.ts'
import type { ShellSender } from './send-shell.ts'

/** Matches only what could be a domain, so that other paths with one segment reach their own routes. `\x2f` is a slash. */
const domainPath = String.raw`/:domain(^(?:[^\x2f]*[.][^\x2f]*|localhost)$)`

const Params = Type.Object({ domain: Type.String() })

/** The domain in canonical spelling; undefined if the segment is not a domain. */
function toCanonicalDomain(segment: string): string | undefined {
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(segment)) return undefined
  const result = parseDomain(segment)
  return 'value' in result ? result.value.domain : undefined
}

const queryOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

export function websitePageRoutes(app: App, deps: RouteDeps, sendShell: ShellSender): void {
  const routeOptions = { ...createPageOptions(deps), schema: { hide: true, params: Params } }

  /** Private and missing websites get the same response. */
  function sendNotFound(request: FastifyRequest, reply: FastifyReply) {
    if (!prefersHtml(request)) throw notFound()
    return sendShell(request, reply, { status: 404, website: null })
  }

  async function findPage(request: FastifyRequest, domain: string): Promise<StatisticsPage | undefined> {
    try {
      const requester = { caller: request.caller, cookieHeader: request.headers.cookie }
      return await authorizeStatisticsPage(deps, requester, domain)
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return undefined
      throw error
    }
  }

  function sendPage(request: FastifyRequest, reply: FastifyReply, page: StatisticsPage) {
    const { site, isOwner, isLocked, isPublic, isSample } = page
    const { id, domain, timeZone } = site
    if (isLocked) reply.header('www-authenticate', 'Bearer')
    return sendShell(request, reply, {
      status: isLocked ? 401 : 200,
      title: `${domain} · Belfry`,
      isIndexed: isPublic,
      website: { id, domain, time_zone: timeZone, is_owner: isOwner, is_locked: isLocked, is_sample: isSample },
    })
  }

  app.get(domainPath, routeOptions, async (request, reply) => {
    const domain = toCanonicalDomain(request.params.domain)
    if (domain === undefined) return sendNotFound(request, reply)
    if (domain !== request.params.domain) return reply.redirect(`./${domain}${queryOf(request)}`, 301)
    const page = await findPage(request, domain)
    return page === undefined ? sendNotFound(request, reply) : sendPage(request, reply, page)
  })

  app.get(`${domainPath}/`, routeOptions, async (request, reply) => {
    const domain = toCanonicalDomain(request.params.domain)
    if (domain === undefined) return sendNotFound(request, reply)
    return reply.redirect(`../${domain}${queryOf(request)}`, 301)
  })

  app.get(`${domainPath}/settings`, routeOptions, async (request, reply) => {
    const domain = toCanonicalDomain(request.params.domain)
    if (domain === undefined) return sendNotFound(request, reply)
    if (domain !== request.params.domain) return reply.redirect(`../${domain}/settings${queryOf(request)}`, 301)
    const page = await findPage(request, domain)
    return page?.isOwner === true ? sendPage(request, reply, page) : sendNotFound(request, reply)
  })
}
