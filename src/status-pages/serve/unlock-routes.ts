/** Receives the form that asks for the password of a page. */
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
import { notFound, Problem } from '../../lib/problem.ts'
import { Type } from '../../lib/type.ts'
import { MAX_PASSWORD_LENGTH } from '../../shared/limits.ts'
import { PRIVACY } from '../../shared/websites.ts'
import { findDomainTarget } from '../domains/host-routing.ts'
import { toPageLock } from './access.ts'
import type { StatusPageCopies } from './copies.ts'
import { toCanonicalSlug } from './formats.ts'
import { renderUnlockForm, unlockFormHeaders } from './unlock-form.ts'

type Deps = Pick<RouteDeps, 'clock' | 'config' | 'counter' | 'secret'> & { statusPageCopies: StatusPageCopies }

const Params = Type.Object({ slug: Type.String() })
const Body = Type.Object({ password: Type.String({ maxLength: MAX_PASSWORD_LENGTH }) }, { additionalProperties: false })

/** The prefix of the public URL. Custom domains have none. */
export const pathPrefixFor = ({ config }: Pick<RouteDeps, 'config'>, { raw }: FastifyRequest) =>
  findDomainTarget(raw) === undefined ? urlPrefixOf(config) : ''

export function sendUnlockForm(reply: FastifyReply, pagePath: string, { status = 401, error = '' } = {}) {
  const html = renderUnlockForm(pagePath, error || undefined)
  return reply.code(status).headers(unlockFormHeaders(pagePath)).send(html)
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
      const foundCopy = await statusPageCopies.find(slug)
      const access = foundCopy?.copy.snapshot.access
      const pagePath = `${pathPrefixFor(deps, request)}/status/${slug}`
      if (access?.privacy === PRIVACY.public) return reply.redirect(pagePath, 303)
      // The response for a page that is private or doesn't exist takes as long as that for a wrong password.
      const lock = access ? toPageLock(access) : { name: `status page ${slug}`, cookieName: '', passwordHash: null }
      const attempt = { password: request.body.password, clientNetwork: toClientNetwork(request.ip) }
      try {
        const cookie = await tryPassword(deps, lock, attempt)
        if (access === undefined) throw notFound()
        if (cookie === undefined) return sendUnlockForm(reply, pagePath, { error: 'Incorrect password.' })
        setCookie(config, request, reply, { ...cookie, lifetimeSeconds: UNLOCK_SECONDS })
        return reply.redirect(pagePath, 303)
      } catch (error) {
        if (access === undefined || !(error instanceof Problem) || error.code !== 'rate_limited') throw error
        return sendUnlockForm(reply.headers(error.headers), pagePath, { status: 429, error: error.message })
      }
    },
  )
}
