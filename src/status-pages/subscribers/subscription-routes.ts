/** The form on which people subscribe to a page. It works without JavaScript. Requests with a JSON body get JSON. */
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { anyone } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { crossSiteProblem } from '../../http/authentication.ts'
import { sendProblem, toProblem } from '../../http/errors.ts'
import { isCrossSite } from '../../http/origin.ts'
import { logProblem } from '../../http/problem-log.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { toClientNetwork } from '../../lib/network-address.ts'
import { notFound, Problem, problems } from '../../lib/problem.ts'
import { resourceId } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { MAX_EMAIL_LENGTH } from '../../shared/limits.ts'
import { MAX_PAGE_MONITORS } from '../../shared/status-pages.ts'
import { statusPageHeaders } from '../render/headers.ts'
import { isOpenToVisitor } from '../serve/access.ts'
import { canSubscribe } from './links.ts'
import {
  CHECK_INBOX_TEXT,
  isHiddenFromSubscribers,
  NOTICE_FONT_BASE,
  renderCheckInboxPage,
  renderProblemNotice,
  renderSubscribePage,
} from './pages.ts'
import { limitSubscriptionsByNetwork, subscribe } from './subscribe.ts'
import { findSubscriptionPage, type SubscriptionPage } from './subscription-store.ts'

/**
 * Every response takes at least this long. Storing a subscriber takes less, so the time of a response doesn't tell
 * whether the address was known.
 */
const MIN_RESPONSE_MS = 100

export const slugParams = Type.Object({ slug: Type.String() })
export const monitorChoiceField = Type.Optional(Type.Array(resourceId, { maxItems: MAX_PAGE_MONITORS }))

const SubscribeBody = Type.Object(
  { email: Type.String({ format: 'email', maxLength: MAX_EMAIL_LENGTH }), monitor_ids: monitorChoiceField },
  { additionalProperties: false },
)

export interface SubscriptionRouteDeps extends RouteDeps {
  /** Called when a confirmation may have been stored. */
  triggerJob(name: 'send messages to subscribers'): void
}

export function subscriptionRoutes(app: App, deps: SubscriptionRouteDeps): void {
  const { config, db, triggerJob } = deps
  const url = '/status/:slug/subscribe'

  const getPage = async (slug: string): Promise<SubscriptionPage> => {
    const page = await findSubscriptionPage(db, slug)
    if (page === undefined) throw notFound()
    if (!canSubscribe(config)) throw new Problem('not_found', "This page doesn't offer updates by email.")
    return page
  }

  app.get(
    url,
    {
      config: { access: anyone },
      errorHandler: sendNoticeProblem,
      schema: { hide: true, params: slugParams },
    },
    async (request, reply) => {
      const page = await getPage(request.params.slug)
      // Redirect to the page, which asks for its password.
      if (!isOpenToVisitor(deps, page, request.headers.cookie)) return reply.redirect(`../${page.slug}`, 303)
      return sendNotice(reply, page, renderSubscribePage(page, { email: '', monitorIds: [] }))
    },
  )

  app.post(
    url,
    {
      config: { access: anyone },
      errorHandler: sendNoticeProblem,
      // If the body is invalid, the handler shows the form again, with the message below the field.
      attachValidation: true,
      schema: { hide: true, params: slugParams, body: SubscribeBody },
    },
    async (request, reply) => {
      const { email, monitor_ids: monitorIds = [] } = request.body
      // Other sites could send requests from the browsers of their visitors, and so get around the limit per network.
      if (isCrossSite(config, request)) throw crossSiteProblem()
      const page = await getPage(request.params.slug)
      if (!isOpenToVisitor(deps, page, request.headers.cookie)) {
        throw new Problem('password_required', 'Open the page and enter its password first.')
      }
      limitSubscriptionsByNetwork(deps, toClientNetwork(request.ip))
      try {
        if (request.validationError !== undefined) throw toProblem(request.validationError)
        await Promise.all([subscribe(deps, page, { email, monitorIds }), delay(MIN_RESPONSE_MS)])
      } catch (error) {
        const problem = toProblem(error as Error)
        if (isJsonRequest(request) || problems[problem.code].status >= 500) throw problem
        const html = renderSubscribePage(page, { ...toFormState(request.body), error: explain(problem) })
        return sendNotice(reply.code(problems[problem.code].status).headers(problem.headers), page, html)
      }
      triggerJob('send messages to subscribers')
      if (isJsonRequest(request)) return reply.code(202).send({ data: { message: CHECK_INBOX_TEXT } })
      return sendNotice(reply, page, renderCheckInboxPage(page))
    },
  )
}

/** Keeps what was typed, although the request isn't valid. */
function toFormState(body: unknown): { email: string; monitorIds: number[] } {
  const { email, monitor_ids: monitorIds } = (body ?? {}) as Record<string, unknown>
  return {
    email: typeof email === 'string' ? email.slice(0, MAX_EMAIL_LENGTH) : '',
    monitorIds: [monitorIds].flat().map(Number).filter(Number.isInteger),
  }
}

const explain = ({ errors, message }: Problem) =>
  errors?.['email'] === undefined ? message : 'Enter one email address, such as you@example.com.'

export const isJsonRequest = ({ headers }: FastifyRequest) =>
  /^\s*application\/json\b/i.test(headers['content-type'] ?? '')

/** `page` is undefined if the response shows nothing about a page. */
export function sendNotice(
  reply: FastifyReply,
  page: Pick<SubscriptionPage, 'accentColor' | 'privacy'> | undefined,
  html: string,
) {
  const accentColor = page === undefined || isHiddenFromSubscribers(page) ? null : page.accentColor
  const headers = statusPageHeaders({ accentColor }, { fontBase: NOTICE_FONT_BASE })
  return reply.headers({ ...headers, 'cache-control': 'no-store' }).send(html as never)
}

export function sendNoticeProblem(error: Error, request: FastifyRequest, reply: FastifyReply) {
  const problem = request.refusal ?? toProblem(error)
  if (isJsonRequest(request)) return sendProblem(problem, request, reply)
  logProblem(problem, request.log, request.id)
  const { status, title } = problems[problem.code]
  return sendNotice(reply.code(status).headers(problem.headers), undefined, renderProblemNotice(title, problem.message))
}
