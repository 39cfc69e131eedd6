/** The page of a website, at its domain: for whom its privacy opens it. Its settings are for its owner. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { reader } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { wantsPage } from '../http/page.ts'
import { sendProblemPage } from '../http/problem-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound, Problem } from '../lib/problem.ts'
import { openStatisticsPage, type StatisticsPage } from '../traffic/stats/access.ts'
import { readDomain } from '../websites/domain.ts'
import type { ShellSender } from './send-shell.ts'

/** Only what could be a domain: other paths with one part are none of this page's business. `\x2f` is a slash. */
const path = String.raw`/:domain(^(?:[^\x2f]*[.][^\x2f]*|localhost)$)`

const Params = Type.Object({ domain: Type.String() })

/** In its one spelling; undefined where the path is that of no website. */
function domainIn(path: string): string | undefined {
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(path)) return undefined
  const reading = readDomain(path)
  return 'value' in reading ? reading.value.domain : undefined
}

const queryOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

export function websitePageRoutes(app: App, services: RouteDeps, sendShell: ShellSender): void {
  const route = {
    config: { access: reader('websites:read') },
    schema: { hide: true, params: Params },
    errorHandler: sendProblemPage,
  }

  /** The same for what is private and for what is not there. */
  function sendNothing(request: FastifyRequest, reply: FastifyReply) {
    if (!wantsPage(request)) throw notFound()
    return sendShell(request, reply, { status: 404, website: null })
  }

  async function findPage(request: FastifyRequest, domain: string): Promise<StatisticsPage | undefined> {
    try {
      const visitor = { caller: request.caller, unlockCookies: request.headers.cookie }
      return await openStatisticsPage(services, visitor, domain)
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return undefined
      throw error
    }
  }

  function sendPage(request: FastifyRequest, reply: FastifyReply, page: StatisticsPage) {
    const { site, isOwner, isLocked, isPublic } = page
    const { id, domain, timeZone } = site
    if (isLocked) reply.header('www-authenticate', 'Bearer')
    return sendShell(request, reply, {
      status: isLocked ? 401 : 200,
      title: `${domain} · Belfry`,
      isListed: isPublic,
      website: { id, domain, time_zone: timeZone, is_owner: isOwner, is_locked: isLocked },
    })
  }

  app.get(path, route, async (request, reply) => {
    const domain = domainIn(request.params.domain)
    if (domain === undefined) return sendNothing(request, reply)
    if (domain !== request.params.domain) return reply.redirect(`./${domain}${queryOf(request)}`, 301)
    const page = await findPage(request, domain)
    return page === undefined ? sendNothing(request, reply) : sendPage(request, reply, page)
  })

  app.get(`${path}/`, route, async (request, reply) => {
    const domain = domainIn(request.params.domain)
    if (domain === undefined) return sendNothing(request, reply)
    return reply.redirect(`../${domain}${queryOf(request)}`, 301)
  })

  app.get(`${path}/settings`, route, async (request, reply) => {
    const domain = domainIn(request.params.domain)
    if (domain === undefined) return sendNothing(request, reply)
    if (domain !== request.params.domain) return reply.redirect(`../${domain}/settings${queryOf(request)}`, 301)
    const page = await findPage(request, domain)
    return page?.isOwner === true ? sendPage(request, reply, page) : sendNothing(request, reply)
  })
}
