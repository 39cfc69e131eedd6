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
import { toStatusPagePaths } from '../urls.ts'
import { toPageLock } from './access.ts'
import type { StatusPageCopies } from './copies.ts'
import { toCanonicalSlug } from './formats.ts'
import { parsePagePart, renderUnlockForm, unlockFormHeaders } from './unlock-form.ts'

type Deps = Pick<RouteDeps, 'clock' | 'config' | 'counter' | 'secret'> & { statusPageCopies: StatusPageCopies }

const Params = Type.Object({ slug: Type.String() })
const Body = Type.Object(
  { password: Type.String({ maxLength: MAX_PASSWORD_LENGTH }), part: Type.Optional(Type.String({ maxLength: 100 })) },
  { additionalProperties: false },
)

/** The path prefix of the public URL. undefined: the request is for a custom domain. */
export const pathPrefixFor = ({ config }: Pick<RouteDeps, 'config'>, { raw }: FastifyRequest) =>
  findDomainTarget(raw) === undefined ? urlPrefixOf(config) : undefined

export function sendUnlockForm(
  reply: FastifyReply,
  basePath: string,
  { status = 401, ...options }: { status?: number; part?: string | undefined; error?: string } = {},
) {
  return reply.code(status).headers(unlockFormHeaders(basePath)).send(renderUnlockForm(basePath, options))
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
      const paths = toStatusPagePaths(slug, pathPrefixFor(deps, request))
      const part = parsePagePart(request.body.part ?? '')
      const targetPath = part === undefined ? paths.page : paths.history + part.slice('history'.length)
      if (access?.privacy === PRIVACY.public) return reply.redirect(targetPath, 303)
      // The response for a page that is private or doesn't exist takes as long as that for a wrong password.
      const lock = access ? toPageLock(access) : { name: `status page ${slug}`, cookieName: '', passwordHash: null }
      const attempt = { password: request.body.password, clientNetwork: toClientNetwork(request.ip) }
      try {
        const cookie = await tryPassword(deps, lock, attempt)
        if (access === undefined) throw notFound()
        if (cookie === undefined) return sendUnlockForm(reply, paths.base, { part, error: 'Incorrect password.' })
        setCookie(config, request, reply, { ...cookie, lifetimeSeconds: UNLOCK_SECONDS })
        return reply.redirect(targetPath, 303)
      } catch (error) {
        if (access === undefined || !(error instanceof Problem) || error.code !== 'rate_limited') throw error
        return sendUnlockForm(reply.headers(error.headers), paths.base, { status: 429, part, error: error.message })
      }
    },
  )
}
