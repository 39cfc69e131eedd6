/** Custom domains: their responses besides the page itself, and the check whether a domain leads to this server. */
import type { FastifyReply, FastifyRequest, onSendAsyncHookHandler } from 'fastify'
import { publicFile, requireScopes } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { callerOf } from '../../http/authentication.ts'
import { sendProblem } from '../../http/errors.ts'
import { prefersHtml } from '../../http/html-page.ts'
import { findHost } from '../../http/origin.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { invalid, notFound } from '../../lib/problem.ts'
import { idParams } from '../../lib/schemas.ts'
import { findOwnHost } from '../custom-domain.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { renderNoticePage } from '../render/notice-page.ts'
import { getStatusPage } from '../status-pages.ts'
import { checkDomain } from './check-domain.ts'
import type { CustomDomains } from './custom-domains.ts'
import { createDomainToken, DOMAIN_TOKEN_PATH } from './domain-token.ts'
import { findDomainTarget } from './host-routing.ts'
import { countDomainCheck, createProofRecord, type DomainVerifier, describeProof } from './proof.ts'
import { DomainCheckResponse } from './schema.ts'

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

/** Looks like a status page, but reveals nothing about it, because it may have a password. */
export function sendDomainNotFound(request: FastifyRequest, reply: FastifyReply) {
  if (!prefersHtml(request)) return sendProblem(notFound(), request, reply)
  // The page itself is not found if it is private.
  const isOfPage = findDomainTarget(request.raw) === 'page'
  const linkHtml = isOfPage ? '' : '<p><a href="/">Open the status page</a></p>'
  const html = renderNoticePage({
    page: undefined,
    title: 'Page not found',
    bodyHtml: `<p>There is nothing at this address.</p>${linkHtml}`,
  })
  return reply
    .code(404)
    .headers({ ...statusPageHeaders({ accentColor: null }), 'cache-control': 'no-store' })
    .send(html as never)
}

export function statusPageDomainRoutes(
  app: App,
  { config, counter, db, domainVerifier, secret }: RouteDeps & { domainVerifier: DomainVerifier },
): void {
  const ownHost = findOwnHost(config)

  app.get(DOMAIN_TOKEN_PATH, { config: { access: publicFile }, schema: { hide: true } }, async (request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type('text/plain; charset=utf-8')
      .send(createDomainToken(secret, findHost(request)) as never),
  )

  app.post(
    '/api/status-pages/:id/check-domain',
    {
      config: { access: requireScopes('status:write') },
      schema: {
        tags: ['Status pages'],
        operationId: 'checkStatusPageDomain',
        summary: "Verify a status page's custom domain, and check whether it leads to this server",
        description:
          'Looks for the TXT record that proves that the domain is yours, looks up the domain, and requests it by https and http. Takes up to 20 seconds. At most 10 checks a minute.',
        params: idParams,
        response: { 200: DomainCheckResponse },
        errors: [422],
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const { custom_domain: domain } = await getStatusPage(db.as(caller), request.params.id)
      if (domain === null) throw invalid({ custom_domain: ['The status page has no `custom_domain`. Set it first.'] })
      if (ownHost === undefined)
        throw invalid({
          custom_domain: ['Custom domains need the setting BELFRY_URL. Ask the operator of this server to set it.'],
        })
      countDomainCheck(counter, caller.userId)
      const { userId } = caller
      const [result, reachability] = await Promise.all([
        domainVerifier.verify({ userId, pageId: request.params.id, domain }),
        checkDomain(domain, { secret, ownHost, privateTargets: config.privateTargets }),
      ])
      const { custom_domain_verified_at: verifiedAt } = await getStatusPage(db.as(caller), request.params.id)
      return {
        data: describeProof(reachability, { record: createProofRecord(secret, userId, domain), result, verifiedAt }),
      }
    },
  )
}
