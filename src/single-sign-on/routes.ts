/** The pages through which a browser goes while it signs in, and where the provider says that somebody has signed out. */
import { parseCookie } from 'cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { anyone, pageVisitor } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { originOf } from '../http/change-origin.ts'
import { describeClient } from '../http/client.ts'
import { setCookie, setSessionCookie } from '../http/cookies.ts'
import { prefersHtml, renderHtml, sendHtml, sendProblemPage } from '../http/html-page.ts'
import { findHost } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { urlPrefixOf } from '../http/url-prefix.ts'
import { limitFailures } from '../lib/limit-failures.ts'
import { toClientNetwork } from '../lib/network-address.ts'
import { notFound, Problem } from '../lib/problem.ts'
import { escapeHtml } from '../lib/text.ts'
import { randomToken } from '../lib/token.ts'
import { Type } from '../lib/type.ts'
import type { RateLimit } from '../lib/window-counter.ts'
import { MAX_LOGOUT_TOKEN_LENGTH } from './logout-token.ts'
import { ProviderError, type ProviderErrorKind } from './provider-error.ts'
import { describeRefusal, SignInRefusal } from './refusal.ts'
import { ATTEMPT_LIFETIME_SECONDS, parseReturnTo, type SingleSignOn } from './single-sign-on.ts'

/** Recognizes the browser that has begun a sign-in. */
const BROWSER_COOKIE = 'belfry_single_sign_on'
const browserPattern = /^[\w-]{43}$/

/** Each wrong token can make Belfry fetch the provider's keys. */
const WRONG_LOGOUT_TOKENS: RateLimit = { count: 20, windowSeconds: 60 }

function readBrowser({ headers }: FastifyRequest): string | undefined {
  const value = headers.cookie === undefined ? undefined : parseCookie(headers.cookie)[BROWSER_COOKIE]
  return value !== undefined && browserPattern.test(value) ? value : undefined
}

/** Returns the token of the browser. A browser that signs in in several tabs keeps its token. */
export function ensureBrowser({ config }: RouteDeps, request: FastifyRequest, reply: FastifyReply): string {
  const browser = readBrowser(request) ?? randomToken()
  setCookie(config, request, reply, {
    name: BROWSER_COOKIE,
    value: browser,
    lifetimeSeconds: ATTEMPT_LIFETIME_SECONDS,
  })
  return browser
}

const providerErrorStatus: Partial<Record<ProviderErrorKind, number>> = { denied: 403, stale: 400 }

export function singleSignOnRoutes(app: App, deps: RouteDeps, singleSignOn: SingleSignOn): void {
  const { config, counter, db, log, secret } = deps

  function describeError(error: Error): { status: number; title: string; text: string } | undefined {
    if (error instanceof SignInRefusal) {
      return describeRefusal(error.reason, { isOnly: singleSignOn.settings?.isOnly === true })
    }
    if (!(error instanceof ProviderError)) return undefined
    log.warn({ kind: error.kind, err: error.cause ?? error }, 'single sign-on failed')
    return { status: providerErrorStatus[error.kind] ?? 502, title: "You couldn't be signed in", text: error.sentence }
  }

  function sendErrorPage(error: Error, request: FastifyRequest, reply: FastifyReply) {
    const described = request.refusal === undefined ? describeError(error) : undefined
    if (described === undefined) return sendProblemPage(error, request, reply)
    const { status, title, text } = described
    if (status === 404 && !prefersHtml(request)) return sendProblemPage(notFound(), request, reply)
    const links = `<p><a href="${escapeHtml(config.url ?? '')}/sign-in">Go to the sign-in page</a></p>`
    const body = `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${status === 404 ? '' : links}`
    return sendHtml(reply.code(status), renderHtml(escapeHtml(title), body, { path: request.url }))
  }

  const page = { errorHandler: sendErrorPage, schema: { hide: true } }

  app.get<{ Querystring: Record<string, unknown> }>(
    '/sign-in/single-sign-on',
    { ...page, config: { access: anyone } },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const { return_to: returnTo, moved } = request.query
      const path = parseReturnTo(typeof returnTo === 'string' ? returnTo : undefined, urlPrefixOf(config))
      // The provider sends the browser back to the public URL, so the cookie has to be set there.
      if (config.url !== undefined && findHost(request) !== new URL(config.url).host && moved === undefined) {
        const query = new URLSearchParams({ return_to: path, moved: '1' })
        return reply.redirect(`${config.url}/sign-in/single-sign-on?${query}`)
      }
      const browser = ensureBrowser(deps, request, reply)
      return reply.redirect(await singleSignOn.begin({ browser, returnTo: path }))
    },
  )

  app.get(
    '/sign-in/single-sign-on/callback',
    {
      ...page,
      config: { access: pageVisitor },
      preHandler: async ({ caller }: FastifyRequest) => {
        if (caller?.kind === 'key') await db.as(caller).confirm()
      },
    },
    async (request, reply) => {
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
      const { token, returnUrl } = await singleSignOn.finish({
        browser: readBrowser(request),
        search: request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '',
        caller: request.caller,
        client: describeClient(request),
        origin: originOf(request),
      })
      if (token !== undefined) setSessionCookie(config, request, reply, { token, teamHint: undefined })
      return reply.redirect(returnUrl)
    },
  )

  app.post(
    '/sign-in/single-sign-on/logout',
    {
      config: { access: anyone },
      // Providers may add parameters of their own.
      schema: {
        hide: true,
        body: Type.Object({ logout_token: Type.String({ minLength: 1, maxLength: MAX_LOGOUT_TOKEN_LENGTH }) }),
      },
    },
    async (request, reply) => {
      if (singleSignOn.settings === undefined) throw notFound()
      const address = secret.hmac('addresses', toClientNetwork(request.ip)).toString('base64url')
      const limits = [{ name: `logout-token:${address}`, limit: WRONG_LOGOUT_TOKENS }]
      const hasEnded = await limitFailures(counter, limits, 'Too many invalid logout tokens.', async () => {
        const isValid = await singleSignOn.endSessions(request.body.logout_token).catch(rethrowAsProblem)
        return isValid || undefined
      })
      if (hasEnded === undefined) throw new Problem('malformed_request', 'The logout token is not valid.')
      return reply.header('cache-control', 'no-store').send({} as never)
    },
  )
}

/** For the API, which has no pages. */
export function rethrowAsProblem(error: Error): never {
  if (error instanceof ProviderError) throw new Problem('provider_delivery_failed', error.sentence, { cause: error })
  if (!(error instanceof SignInRefusal)) throw error
  const { text } = describeRefusal(error.reason, { isOnly: false })
  throw new Problem('conflict', text, { cause: error })
}
