/** Unsubscribes from weekly reports with the link in the email (RFC 8058), without signing in. */
import { domainToUnicode } from 'node:url'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { anyone } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { originOf } from '../http/change-origin.ts'
import { renderHtml, sendHtml } from '../http/html-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { escapeHtml } from '../lib/text.ts'
import { Type } from '../lib/type.ts'
import { findDomain, turnOffReport } from './store.ts'
import { findWebsiteIdByToken } from './unsubscribe.ts'

interface UnsubscribeTarget {
  id: number
  /** In ASCII, so it needs no escaping in HTML. */
  domain: string
  /** In Unicode, escaped for HTML. */
  unicodeDomainHtml: string
}

const renderPage = (body: string) => renderHtml('Weekly report', body)

const invalidLinkPage = renderPage(
  '<h1>Invalid link</h1><p>Copy the whole link from the email. If the website was deleted, its reports have stopped.</p>',
)

/** A form without `action` posts to the URL of the page, which contains the token. */
const renderQuestionPage = (unicodeDomainHtml: string) =>
  renderPage(
    `<h1>Weekly report for ${unicodeDomainHtml}</h1><p>It is sent every Monday. Do you want to unsubscribe?</p><form method="post"><button>Unsubscribe</button></form>`,
  )

/** The link is relative to `/api/unsubscribe`, so that it also works behind a proxy that adds a path. */
const renderDonePage = ({ unicodeDomainHtml, domain }: UnsubscribeTarget) =>
  renderPage(`<h1>Unsubscribed</h1>
<p>You will no longer receive weekly reports for ${unicodeDomainHtml}. You can turn them on again in the website's <a href="../${domain}/settings">settings</a>.</p>`)

export function unsubscribeRoutes(app: App, { clock, db, secret }: RouteDeps): void {
  const url = '/api/unsubscribe'
  const route = {
    config: { access: anyone },
    schema: { hide: true, querystring: Type.Object({ token: Type.Optional(Type.String()) }) },
  }

  const findTarget = async (token = ''): Promise<UnsubscribeTarget | undefined> => {
    const id = findWebsiteIdByToken(secret, token)
    const domain = id && (await findDomain(db, id))
    return id && domain ? { id, domain, unicodeDomainHtml: escapeHtml(domainToUnicode(domain) || domain) } : undefined
  }

  app.register(async (scope) => {
    const typed = scope.withTypeProvider<TypeBoxTypeProvider>()
    // Mail programs send bodies of different types. Only the token in the URL counts.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, next) => next(null, undefined))

    // Virus scanners follow links in emails, so a GET request must not change anything.
    typed.get(url, route, async (request, reply) => {
      const website = await findTarget(request.query.token)
      if (website === undefined) return sendHtml(reply.code(404), invalidLinkPage)
      return sendHtml(reply, renderQuestionPage(website.unicodeDomainHtml))
    })

    typed.post(url, route, async (request, reply) => {
      const website = await findTarget(request.query.token)
      if (website === undefined) return sendHtml(reply.code(404), invalidLinkPage)
      await turnOffReport(db.recordingOrigin(originOf(request)), website.id, clock.now())
      return sendHtml(reply, renderDonePage(website))
    })
  })
}
