/**
 * The pages behind the links in emails to subscribers. The token alone identifies the subscriber, so the links keep working if the page
 * gets another slug or a password. If the page becomes private, the links show nothing of it, but people can still unsubscribe. Email
 * scanners open links, so a GET request changes nothing.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { anyone } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { notFound } from '../../lib/problem.ts'
import { Type } from '../../lib/type.ts'
import { createSubscriberToken, isSubscriberToken, type LinkPurpose, readSubscriberId } from './links.ts'
import {
  isHiddenFromSubscribers,
  renderConfirmedPage,
  renderConfirmPage,
  renderManagePage,
  renderUnknownLinkPage,
  renderUnsubscribedPage,
  renderUnsubscribePage,
} from './pages.ts'
import { toMonitorChoice } from './subscribe.ts'
import { isJsonRequest, monitorChoiceField, sendNotice, sendNoticeProblem, slugParams } from './subscription-routes.ts'
import {
  confirmSubscriber,
  deleteSubscriber,
  findSubscriberWithPage,
  type Subscriber,
  type SubscriptionPage,
  setSubscriberMonitors,
} from './subscription-store.ts'

const route = {
  config: { access: anyone },
  errorHandler: sendNoticeProblem,
  schema: {
    hide: true,
    params: slugParams,
    querystring: Type.Object({ token: Type.Optional(Type.String({ maxLength: 200 })) }),
  },
}

const ManageBody = Type.Object({ monitor_ids: monitorChoiceField }, { additionalProperties: false })

const sendUnknownLink = (reply: FastifyReply) => sendNotice(reply.code(404), undefined, renderUnknownLinkPage())

export function subscriberLinkRoutes(app: App, { clock, db, secret }: RouteDeps): void {
  const findByToken = async (purpose: LinkPurpose, token = '') => {
    const id = readSubscriberId(token)
    const subscription = id === undefined ? undefined : await findSubscriberWithPage(db, id)
    return subscription && isSubscriberToken(secret, purpose, subscription.subscriber, token)
      ? { ...subscription, token }
      : undefined
  }
  const createToken = (purpose: LinkPurpose, subscriber: Subscriber) =>
    createSubscriberToken(secret, purpose, subscriber)

  const showManagePage = (
    reply: FastifyReply,
    { page, subscriber, token }: { page: SubscriptionPage; subscriber: Subscriber; token: string },
    isSaved: boolean,
  ) => {
    const unsubscribeToken = createToken('unsubscribe', subscriber)
    return sendNotice(reply, page, renderManagePage(page, subscriber, { token, unsubscribeToken, isSaved }))
  }

  app.get('/status/:slug/confirm', route, async (request, reply) => {
    const subscription = await findByToken('confirm', request.query.token)
    if (subscription === undefined) return sendUnknownLink(reply)
    const { page, subscriber, token } = subscription
    const html =
      subscriber.state === 'confirmed'
        ? renderConfirmedPage(page, subscriber, createToken('manage', subscriber))
        : renderConfirmPage(page, subscriber, token)
    return sendNotice(reply, page, html)
  })

  app.get('/status/:slug/manage', route, async (request, reply) => {
    const subscription = await findByToken('manage', request.query.token)
    return subscription === undefined ? sendUnknownLink(reply) : showManagePage(reply, subscription, false)
  })

  app.post(
    '/status/:slug/manage',
    { ...route, schema: { ...route.schema, body: ManageBody } },
    async (request, reply) => {
      const subscription = await findByToken('manage', request.query.token)
      if (subscription === undefined && isJsonRequest(request)) throw notFound()
      if (subscription === undefined) return sendUnknownLink(reply)
      const { page, subscriber } = subscription
      if (isHiddenFromSubscribers(page)) {
        if (isJsonRequest(request)) throw notFound()
        return showManagePage(reply.code(404), subscription, false)
      }
      const monitorIds = toMonitorChoice(page, request.body.monitor_ids ?? [])
      await db.transaction((q) => setSubscriberMonitors(q, page, subscriber.id, monitorIds))
      if (isJsonRequest(request)) return reply.send({ data: { monitor_ids: monitorIds } })
      return showManagePage(reply, { ...subscription, subscriber: { ...subscriber, monitorIds } }, true)
    },
  )

  app.get('/status/:slug/unsubscribe', route, async (request, reply) => {
    const subscription = await findByToken('unsubscribe', request.query.token)
    if (subscription === undefined) return sendUnknownLink(reply)
    return sendNotice(
      reply,
      subscription.page,
      renderUnsubscribePage(subscription.page, subscription.subscriber, subscription.token),
    )
  })

  app.register(async (scope) => {
    const typedScope = scope.withTypeProvider<TypeBoxTypeProvider>()
    // Mail programs send bodies of different types (RFC 8058). Only the token in the URL counts.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, next) => next(null, undefined))

    typedScope.post('/status/:slug/confirm', route, async (request, reply) => {
      const subscription = await findByToken('confirm', request.query.token)
      if (subscription === undefined && isJsonRequest(request)) throw notFound()
      if (subscription === undefined) return sendUnknownLink(reply)
      const { page, subscriber } = subscription
      await confirmSubscriber(db, subscriber.id, clock.now())
      if (isJsonRequest(request)) return reply.send({ data: { state: 'confirmed' } })
      return sendNotice(reply, page, renderConfirmedPage(page, subscriber, createToken('manage', subscriber)))
    })

    typedScope.post('/status/:slug/unsubscribe', route, async (request, reply) => {
      const { token = '' } = request.query
      const subscription = await findByToken('unsubscribe', token)
      if (subscription !== undefined) await deleteSubscriber(db, subscription.subscriber.id)
      // Mail programs repeat the request if they got no response, so unsubscribing twice is not an error.
      const isUnsubscribed = subscription !== undefined || readSubscriberId(token) !== undefined
      if (isJsonRequest(request)) {
        if (!isUnsubscribed) throw notFound()
        return reply.send({ data: { state: 'unsubscribed' } })
      }
      if (subscription !== undefined)
        return sendNotice(reply, subscription.page, renderUnsubscribedPage(subscription.page))
      return isUnsubscribed ? sendNotice(reply, undefined, renderUnknownLinkPage()) : sendUnknownLink(reply)
    })
  })
}
