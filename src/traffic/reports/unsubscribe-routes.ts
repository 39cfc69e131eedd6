/** Switching a report off from the letter itself (RFC 8058), without signing in. */
import { domainToUnicode } from 'node:url'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { document, sendPage } from '../../http/page.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { escapeHtml } from '../../lib/escape-html.ts'
import { findDomain, switchOff } from './store.ts'
import { websiteOfToken } from './unsubscribe.ts'

interface Website {
  id: number
  /** As the network knows it, which is fit for HTML, and as people do. */
  domain: string
  name: string
}

const page = (body: string) => document('Weekly report', body)

const wrong = page(
  '<h1>This link is not valid</h1><p>Copy it whole from the report. If the website has been deleted, no more reports come.</p>',
)

/** Without an action the form goes to where it came from, token and all. */
const question = (name: string) =>
  page(
    `<h1>Weekly report of ${name}</h1><p>It comes every Monday. Do you want to switch it off?</p><form method="post"><button>Switch it off</button></form>`,
  )

/** The link goes out from `/api/unsubscribe`, also behind a path that a proxy removes. */
const done = ({ name, domain }: Website) =>
  page(`<h1>The weekly report of ${name} is off</h1>
<p>No more of these letters come. Whoever looks after the website can switch them on again at any time, in <a href="../${domain}/settings">its settings</a>.</p>`)

export function unsubscribeRoutes(app: App, { clock, db, secret }: RouteDeps): void {
  const url = '/api/unsubscribe'
  const route = {
    config: { access: anyone },
    schema: { hide: true, querystring: Type.Object({ token: Type.Optional(Type.String()) }) },
  }

  const find = async (token = ''): Promise<Website | undefined> => {
    const id = websiteOfToken(secret, token)
    const domain = id && (await findDomain(db, id))
    return id && domain ? { id, domain, name: escapeHtml(domainToUnicode(domain) || domain) } : undefined
  }

  app.register(async (scope) => {
    const typed = scope.withTypeProvider<TypeBoxTypeProvider>()
    // Mail programs send one form or the other; only the token counts.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, next) => next(null, undefined))

    // Programs that look for viruses follow links: that must not change anything.
    typed.get(url, route, async (request, reply) => {
      const website = await find(request.query.token)
      return website === undefined ? sendPage(reply.code(404), wrong) : sendPage(reply, question(website.name))
    })

    typed.post(url, route, async (request, reply) => {
      const website = await find(request.query.token)
      if (website === undefined) return sendPage(reply.code(404), wrong)
      await switchOff(db, website.id, clock.now())
      return sendPage(reply, done(website))
    })
  })
}
