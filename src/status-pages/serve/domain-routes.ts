/** Responses at custom domains to requests for anything but the status page. */
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import type { App } from '../../http/app-type.ts'
import { sendProblem } from '../../http/errors.ts'
import { prefersHtml } from '../../http/html-page.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { notFound } from '../../lib/problem.ts'
import type { CustomDomains } from '../domains/custom-domains.ts'
import { findDomainTarget } from '../domains/host-routing.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { renderNoticePage } from '../render/notice-page.ts'

/** What the URLs of fonts begin with at custom domains, which never have the prefix of the public URL. */
const DOMAIN_FONT_BASE = '/status/'

const robots = 'User-agent: *\nAllow: /\n'

interface CustomDomainDeps extends RouteDeps {
  customDomains: CustomDomains
}

/** Call it before all routes are registered, and before other hooks that respond to requests. */
export function serveCustomDomains(app: App, { customDomains, db, log }: CustomDomainDeps): void {
  hideApplicationAtDomains(app)

  // After a change, the user's next request may be for the new domain.
  const refreshDomains: onSendAsyncHookHandler = async (_request, reply) => {
    if (reply.statusCode >= 300) return
    await customDomains.refresh(db).catch((error) => log.warn({ err: error }, 'cannot read custom domains'))
  }
  app.addHook('onRoute', (route) => {
    const isChange = !/^(?:GET|HEAD)$/.test(String(route.method))
    if (isChange && /^\/api\/status-pages(?:\/:id(?:\/check-domain)?)?$/.test(route.url)) route.onSend = refreshDomains
  })
}

/**
 * Responds to all requests for custom domains except those for the status page, the tracking script, events and beats. Call it before other
 * hooks that respond.
 */
export function hideApplicationAtDomains(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const target = findDomainTarget(request.raw)
    if (target === undefined || target === 'page' || target === 'collect') return done()
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (target === 'robots' && isRead) sendRobots(reply)
    else sendDomainNotFound(request, reply)
  })
}

/** Whether the request is for a custom domain, where the application must not appear. */
export const isForCustomDomain = ({ raw }: FastifyRequest) => findDomainTarget(raw) !== undefined

function sendRobots(reply: FastifyReply) {
  return reply.header('cache-control', 'public, max-age=3600').type('text/plain; charset=utf-8').send(robots)
}

/**
 * The response looks like a status page, but reveals nothing about the page of this domain, because it may have a
 * password.
 */
export function sendDomainNotFound(request: FastifyRequest, reply: FastifyReply) {
  if (!prefersHtml(request)) return sendProblem(notFound(), request, reply)
  // If the page itself is not found, because it is private, a link to it would lead nowhere.
  const isOfPage = findDomainTarget(request.raw) === 'page'
  const linkHtml = isOfPage ? '' : '<p><a href="/">Open the status page</a></p>'
  const html = renderNoticePage({
    page: undefined,
    fontBase: DOMAIN_FONT_BASE,
    title: 'Page not found',
    bodyHtml: `<p>There is nothing at this address.</p>${linkHtml}`,
  })
  return reply
    .code(404)
    .headers({
      ...statusPageHeaders({ accentColor: null }, { fontBase: DOMAIN_FONT_BASE }),
      'cache-control': 'no-store',
    })
    .send(html as never)
}
