/** The page of a website's statistics, at its domain. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { reader } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { foreign } from '../../http/authentication.ts'
import { setUnlockCookie } from '../../http/cookies.ts'
import { baseUrl, isForeign } from '../../http/origin.ts'
import { document, sendPage, wholeDocument } from '../../http/page.ts'
import type { Services } from '../../http/services.ts'
import { addressName } from '../../lib/address-name.ts'
import { escapeHtml } from '../../lib/escape-html.ts'
import { notFound, Problem } from '../../lib/problem.ts'
import { readDomain } from '../../websites/domain.ts'
import { type Opened, openStatisticsOfDomain } from '../stats/access.ts'
import { unlockStatistics } from '../stats/unlock.ts'
import { nothingHere, passwordForm } from './forms.ts'

/** Only what could be a domain: other paths with one part are none of this page's business. `\x2f` is a slash. */
const path = String.raw`/:domain(^(?:[^\x2f]*[.][^\x2f]*|localhost)$)`

const Params = Type.Object({ domain: Type.String() })
/** Looser than the API's: whatever is wrong brings the form back. */
const PasswordForm = Type.Object({ password: Type.Optional(Type.String({ maxLength: 1_000 })) })

/** In its one spelling; undefined where the path is that of no website. */
function domainIn(path: string): string | undefined {
  if (!/^[\p{L}\p{N}\p{M}.-]+$/u.test(path)) return undefined
  const reading = readDomain(path)
  return 'value' in reading ? reading.value.domain : undefined
}

const queryOf = ({ url }: FastifyRequest) => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

/** A person is told in a page. */
function refuse(request: FastifyRequest, reply: FastifyReply, domain: string, error: unknown) {
  if (!(error instanceof Problem)) throw error
  if (error.code === 'not_found' && request.headers.accept?.includes('text/html')) {
    return sendPage(reply.code(404), document('Belfry', nothingHere))
  }
  const fault = request.method === 'POST' ? error.message : undefined
  const form = () => document(escapeHtml(domain), passwordForm(domain, fault))
  if (error.code === 'password_required') {
    return sendPage(reply.code(401).header('www-authenticate', 'Bearer'), form())
  }
  if (error.code === 'rate_limited') return sendPage(reply.code(429).headers(error.headers), form())
  throw error
}

export function statisticsPageRoutes(app: App, services: Services): void {
  const { config } = services
  const access = reader('websites:read')

  app.get(path, { config: { access }, schema: { hide: true, params: Params } }, async (request, reply) => {
    const domain = domainIn(request.params.domain)
    if (domain === undefined) return refuse(request, reply, '', notFound())
    if (domain !== request.params.domain) return reply.redirect(`./${domain}${queryOf(request)}`, 301)
    let opened: Opened
    try {
      const visitor = { caller: request.caller, unlockCookies: request.headers.cookie }
      opened = await openStatisticsOfDomain(services, visitor, domain)
    } catch (error) {
      return refuse(request, reply, domain, error)
    }
    // Loaded when somebody first looks.
    const { showStatistics } = await import('./show.ts')
    const { title, body, style } = await showStatistics(services, opened, {
      query: request.query as Record<string, string | string[]>,
      baseUrl: baseUrl(config, request),
    })
    return sendPage(reply, wholeDocument({ title, body, style, isListed: opened.isPublic }))
  })

  app.get(`${path}/`, { config: { access }, schema: { hide: true, params: Params } }, async (request, reply) => {
    const domain = domainIn(request.params.domain)
    if (domain === undefined) return refuse(request, reply, '', notFound())
    return reply.redirect(`../${domain}${queryOf(request)}`, 301)
  })

  app.post(
    path,
    { config: { access }, schema: { hide: true, params: Params, body: PasswordForm } },
    async (request, reply) => {
      if (isForeign(config, request)) throw foreign()
      const domain = domainIn(request.params.domain)
      if (domain === undefined) return refuse(request, reply, '', notFound())
      try {
        const { password = '' } = request.body
        const attempt = { password, address: addressName(request.ip), caller: request.caller }
        const { cookie } = await unlockStatistics(services, { domain }, attempt)
        if (cookie !== undefined) setUnlockCookie(config, request, reply, cookie)
        return reply.redirect(`./${domain}${queryOf(request)}`, 303)
      } catch (error) {
        return refuse(request, reply, domain, error)
      }
    },
  )
}
