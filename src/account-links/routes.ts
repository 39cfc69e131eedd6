/** Reset of forgotten passwords, and change and confirmation of email addresses. */
import type { FastifyRequest } from 'fastify'
import { findOwnAccount } from '../accounts/own-account-store.ts'
import { requirePasswordSignIn } from '../accounts/password-sign-in.ts'
import { PasswordChangedResponse } from '../accounts/schema.ts'
import { anyone, sessionOnly } from '../http/access.ts'
import { createAfterResponse } from '../http/after-response.ts'
import type { App } from '../http/app-type.ts'
import { crossSiteProblem, sessionOf } from '../http/authentication.ts'
import { originOf } from '../http/change-origin.ts'
import { isCrossSite } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { toClientNetwork } from '../lib/network-address.ts'
import { notFound } from '../lib/problem.ts'
import { DeliveryError } from '../outbox/delivery-error.ts'
import {
  confirmEmail,
  mailConfirmationLink,
  mailEmailChangedNotice,
  requireConfirmation,
  requireEmailChange,
} from './email-change.ts'
import { type AccountLinkDeps, limitResetsByNetwork, mailResetLink, resetPassword } from './password-reset.ts'
import {
  ChangeEmail,
  ConfirmEmail,
  ConfirmPasswordReset,
  EmailConfirmedResponse,
  RequestedResponse,
  RequestPasswordReset,
} from './schema.ts'

const tags = ['Session']
const requested = { data: { requested: true as const } }

export function accountLinkRoutes(app: App, deps: RouteDeps & AccountLinkDeps): void {
  const { config, db, log } = deps
  const afterResponse = createAfterResponse(app, deps)

  /** Other sites must not send requests from the browsers of their visitors. */
  function refuseCrossSite(request: FastifyRequest): void {
    if (isCrossSite(config, request)) throw crossSiteProblem()
  }

  /** The audit log records where changes come from. */
  const recordOrigin = (request: FastifyRequest) => ({ ...deps, db: db.recordingOrigin(originOf(request)) })

  /** The operator finds the reason in the log. The response has already been sent. */
  async function logFailedDelivery(send: Promise<void>): Promise<void> {
    try {
      await send
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      log.warn({ reason: error.sentence }, 'an email about an account could not be sent')
    }
  }

  app.post(
    '/api/password-reset',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'sendPasswordResetLink',
        summary: 'Request a link to reset a password',
        description:
          'Mails a link to the address if an account has it. The response is always the same, even if no account has the address, the server has no mail server, or people can sign in only with single sign-on.',
        body: RequestPasswordReset,
        response: { 202: RequestedResponse },
        errors: [403],
      },
    },
    async (request, reply) => {
      refuseCrossSite(request)
      limitResetsByNetwork(deps, toClientNetwork(request.ip))
      // Where only single sign-on is allowed, a new password would be useless.
      if (config.singleSignOn?.isOnly !== true) {
        afterResponse(reply, () => logFailedDelivery(mailResetLink(deps, request.body.email)))
      }
      return reply.code(202).send(requested)
    },
  )

  app.post(
    '/api/password-reset/confirm',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'resetPassword',
        summary: 'Reset a password with a link',
        description:
          'Ends all sessions of the user, but does not sign in. Second factors stay. But if the link is the first proof of the address, passkeys and the link to an identity provider are removed, and from an account that was created with a copied invitation link also its other second factors, its API keys, its invitations and the other members of its own team. 404 if the link has expired or was used.',
        body: ConfirmPasswordReset,
        response: { 200: PasswordChangedResponse },
        errors: [403, 404],
      },
    },
    async (request) => {
      refuseCrossSite(request)
      requirePasswordSignIn(config)
      const { token, new_password: newPassword } = request.body
      await resetPassword(recordOrigin(request), { token, newPassword, clientNetwork: toClientNetwork(request.ip) })
      return { data: { changed: true as const } }
    },
  )

  app.put(
    '/api/account/email',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'changeEmail',
        summary: 'Update your own email address',
        description:
          'Mails a link to the new address, which confirms the change. The response is the same whether or not another account has the address. 409 if the server cannot send email.',
        body: ChangeEmail,
        response: { 202: RequestedResponse },
        errors: [409],
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const { email, current_password: currentPassword } = request.body
      // Without a mail server, nothing else would notice that the session has ended.
      await db.as(caller).confirm()
      await requireEmailChange(deps, caller, { email, currentPassword })
      afterResponse(reply, () => logFailedDelivery(mailConfirmationLink(deps, caller.userId, email)))
      return reply.code(202).send(requested)
    },
  )

  app.post(
    '/api/account/confirm-email',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'sendConfirmationLink',
        summary: 'Request a link to confirm your email address',
        description: 'Mails a link to your current address. 409 if the server cannot send email.',
        response: { 202: RequestedResponse },
        errors: [409],
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const account = await findOwnAccount(db.as(caller))
      if (account === undefined) throw notFound()
      const { email: address } = account
      requireConfirmation(deps, caller.userId, address)
      afterResponse(reply, () => logFailedDelivery(mailConfirmationLink(deps, caller.userId, address)))
      return reply.code(202).send(requested)
    },
  )

  app.post(
    '/api/confirm-email',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'verifyEmail',
        summary: 'Confirm an email address with a link',
        description:
          'The address becomes that of the account, and a notice goes to the old address. Sessions stay. 403 if the link is for another account than that of the session; 404 if the link has expired or was used.',
        body: ConfirmEmail,
        response: { 200: EmailConfirmedResponse },
        errors: [404, 409],
      },
    },
    async (request, reply) => {
      const confirmed = await confirmEmail(recordOrigin(request), {
        token: request.body.token,
        clientNetwork: toClientNetwork(request.ip),
        userId: sessionOf(request).userId,
      })
      // The server remembers the old address of the session.
      app.forgetCaller(request)
      afterResponse(reply, () => logFailedDelivery(mailEmailChangedNotice(deps, confirmed)))
      return { data: { confirmed: true as const, email: confirmed.email } }
    },
  )
}
