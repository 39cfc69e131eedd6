/** The form that asks for the password of a page. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { anyone } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { crossSiteProblem } from '../../http/authentication.ts'
import { setCookie } from '../../http/cookies.ts'
import { isCrossSite } from '../../http/origin.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { urlPrefixOf } from '../../http/url-prefix.ts'
import { toClientNetwork } from '../../lib/network-address.ts'
import { tryPassword, UNLOCK_SECONDS } from '../../lib/password-lock.ts'
import { notFound, Problem, problems } from '../../lib/problem.ts'
import { Type } from '../../lib/type.ts'
import { MAX_PASSWORD_LENGTH } from '../../shared/limits.ts'
import { PRIVACY } from '../../shared/websites.ts'
import { findDomainTarget } from '../domains/host-routing.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { renderNoticePage } from '../render/notice-page.ts'
import { toPageLock } from './access.ts'
import type { StatusPageCopies } from './copies.ts'
import { toCanonicalSlug } from './forms.ts'

type Deps = Pick<RouteDeps, 'clock' | 'config' | 'counter' | 'secret'> & { statusPageCopies: StatusPageCopies }

const Params = Type.Object({ slug: Type.String() })
const Body = Type.Object({ password: Type.String({ maxLength: MAX_PASSWORD_LENGTH }) }, { additionalProperties: false })

const pathPrefixAt = ({ config }: Deps, request: FastifyRequest) =>
  findDomainTarget(request.raw) === undefined ? urlPrefixOf(config) : ''

/** Says nothing about the page, not even its title. */
export function sendUnlockForm(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  { status = 401, error }: { status?: number; error?: string } = {},
) {
  const { slug } = request.params as { slug: string }
  const html = renderNoticePage({
    page: undefined,
    title: 'Password required',
    bodyHtml: '<p>This status page is protected by a password.</p>',
    form: {
      action: `${pathPrefixAt(deps, request)}/status/${slug}/unlock`,
      fields: [
        {
          kind: 'input',
          type: 'password',
          name: 'password',
          label: 'Password',
          autocomplete: 'current-password',
          ...(error !== undefined && { error }),
        },
      ],
      submitLabel: 'Open page',
    },
  })
  return reply
    .code(status)
    .headers({ ...statusPageHeaders({ accentColor: null }), 'cache-control': 'private, no-store' })
    .send(html)
}

export function unlockPageRoutes(app: App, deps: Deps): void {
  const { config, statusPageCopies } = deps

  app.post(
    '/status/:slug/unlock',
    { config: { access: anyone }, schema: { hide: true, params: Params, body: Body } },
    async (request, reply) => {
      if (isCrossSite(config, request)) throw crossSiteProblem()
      const slug = toCanonicalSlug(request.params.slug)
      if (slug === undefined) throw notFound()
      const found = await statusPageCopies.find(slug)
      const access = found?.copy.snapshot.access
      const pagePath = `${pathPrefixAt(deps, request)}/status/${slug}`
      if (access?.privacy === PRIVACY.public) return reply.redirect(pagePath, 303)
      // A page that is private or doesn't exist takes as long as a wrong password does.
      const lock = access ? toPageLock(access) : { name: `status page ${slug}`, cookieName: '', passwordHash: null }
      const attempt = { password: request.body.password, clientNetwork: toClientNetwork(request.ip) }
      try {
        const cookie = await tryPassword(deps, lock, attempt)
        if (access === undefined) throw notFound()
        if (cookie === undefined) return sendUnlockForm(deps, request, reply, { error: 'Incorrect password.' })
        setCookie(config, request, reply, cookie, `Max-Age=${UNLOCK_SECONDS}`)
        return reply.redirect(pagePath, 303)
      } catch (error) {
        if (access === undefined || !(error instanceof Problem) || error.code !== 'rate_limited') throw error
        reply.headers(error.headers)
        return sendUnlockForm(deps, request, reply, { status: problems.rate_limited.status, error: error.message })
      }
    },
  )
}
