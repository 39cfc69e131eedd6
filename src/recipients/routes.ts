/** Lets people block all emails from this server with the link in a test email, without signing in. */
import { anyone } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { renderHtml, sendHtml } from '../http/html-page.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { Type } from '../lib/type.ts'
import { BLOCK_EMAILS_PATH, parseBlockToken } from './recipients.ts'
import { blockRecipient, isRecipientBlocked, unblockRecipient } from './store.ts'

const renderPage = (body: string) => renderHtml('Emails from this server', body)

/** A form without `action` posts to the URL of the page, which contains the token. */
const renderForm = (action: 'block' | 'unblock', label: string) =>
  `<form method="post"><input type="hidden" name="action" value="${action}"><button>${label}</button></form>`

const invalidLinkPage = renderPage('<h1>Invalid link</h1><p>Copy the whole link from the email.</p>')

const questionPage = renderPage(
  `<h1>Block all emails from this server?</h1><p>This Belfry server will send no more emails to your address: no alerts, reports or test emails, from any of its users.</p>${renderForm('block', 'Block all emails')}`,
)

const blockedPage = renderPage(
  `<h1>Emails blocked</h1><p>This Belfry server sends no emails to your address.</p>${renderForm('unblock', 'Allow emails again')}`,
)

const allowedPage = renderPage(
  '<h1>Emails allowed</h1><p>This Belfry server can send emails to your address again.</p>',
)

export function recipientRoutes(app: App, { clock, db, secret }: RouteDeps): void {
  const config = { access: anyone }
  const querystring = Type.Object({ token: Type.Optional(Type.String()) })

  // Virus scanners follow links in emails, so a GET request must not change anything.
  app.get(BLOCK_EMAILS_PATH, { config, schema: { hide: true, querystring } }, async (request, reply) => {
    const hash = parseBlockToken(secret, request.query.token ?? '')
    if (hash === undefined) return sendHtml(reply.code(404), invalidLinkPage)
    return sendHtml(reply, (await isRecipientBlocked(db, hash)) ? blockedPage : questionPage)
  })

  const body = Type.Object({ action: Type.Union([Type.Literal('block'), Type.Literal('unblock')]) })
  app.post(BLOCK_EMAILS_PATH, { config, schema: { hide: true, querystring, body } }, async (request, reply) => {
    const hash = parseBlockToken(secret, request.query.token ?? '')
    if (hash === undefined) return sendHtml(reply.code(404), invalidLinkPage)
    if (request.body.action === 'unblock') {
      await unblockRecipient(db, hash)
      return sendHtml(reply, allowedPage)
    }
    await blockRecipient(db, hash, clock.now())
    return sendHtml(reply, blockedPage)
  })
}
