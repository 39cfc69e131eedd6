/** Lets admins set the public URL and the mail server on a page, and lists what is missing before the server goes live. */
import { adminOnly, publicFile } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf, sessionOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { Type } from '../lib/type.ts'
import { resolveWithSystem } from '../outgoing/guard.ts'
import { requireProofOrFreshSession } from '../sign-in/confirm.ts'
import { explainPrivateTarget } from './allow-address.ts'
import { findDeployment } from './deployment.ts'
import { toGoLiveFacts, toServerSettingsRecord } from './describe-settings.ts'
import { listGoLiveItems } from './go-live.ts'
import { challengePattern, createProof, PROOF_PATH } from './installation-proof.ts'
import {
  removeSetting,
  type SaveSettingsDeps,
  saveMailServer,
  saveOtherBackups,
  savePublicUrl,
  testMailServer,
} from './save-settings.ts'
import {
  GoLiveResponse,
  PrivateTargetQuery,
  PrivateTargetResponse,
  ServerSettingsResponse,
  settingDeletedResponse,
  UpdateBackups,
  UpdateMailServer,
  UpdatePublicUrl,
} from './schema.ts'

export function serverSettingsRoutes(app: App, deps: RouteDeps & SaveSettingsDeps): void {
  const { clock, config, db, log, secret, serverSettings } = deps
  const tags = ['Server']
  const describe = () => ({ data: toServerSettingsRecord(serverSettings) })
  /** Settings belong to no user, so no query for them would notice that the session has ended. */
  const options = {
    config: { access: adminOnly },
    preHandler: async (request: Parameters<typeof callerOf>[0]) => db.as(callerOf(request)).confirm(),
  }

  /**
   * Belfry mails links that let people into their accounts. Somebody who can change the public URL or the mail server can intercept them, so a
   * stolen session of an admin must not be enough.
   */
  const requireAdminProof = (request: Parameters<typeof sessionOf>[0], currentPassword: string | undefined) =>
    requireProofOrFreshSession(db, deps, sessionOf(request), currentPassword)

  // Any node can answer: all of them have the same secret.
  app.get(
    PROOF_PATH,
    {
      config: { access: publicFile },
      schema: {
        hide: true,
        querystring: Type.Object({ challenge: Type.String({ pattern: challengePattern }) }),
      },
    },
    async (request, reply) =>
      reply
        .header('cache-control', 'no-store')
        .type('text/plain; charset=utf-8')
        .send(createProof(secret, request.query.challenge) as never),
  )

  app.get(
    '/api/server/go-live',
    {
      ...options,
      schema: {
        tags,
        operationId: 'listGoLiveItems',
        summary: 'List what to set before the server goes live',
        description: 'The public URL, HTTPS, the mail server and backups: their state, and the lines to set.',
        response: { 200: GoLiveResponse },
      },
    },
    async () => {
      await serverSettings.refresh(db)
      const items = listGoLiveItems(toGoLiveFacts(config, serverSettings, clock.now()))
      return { data: items.map(({ isDone, ...item }) => ({ ...item, is_done: isDone })) }
    },
  )

  app.get(
    '/api/server/private-targets',
    {
      ...options,
      schema: {
        tags,
        operationId: 'getPrivateTargetInstruction',
        summary: 'Get the line that allows a private address',
        description:
          'Resolves the host, and returns the value of `BELFRY_PRIVATE_TARGETS` with which monitors and webhooks can connect to it. `instruction` is null if they already can, or if the host is a cloud metadata service, which gives the credentials of the machine to anyone who can connect.',
        querystring: PrivateTargetQuery,
        response: { 200: PrivateTargetResponse },
        errors: [422],
      },
    },
    async ({ query: { host } }) => {
      const { privateTargets } = config
      const deployment = findDeployment(config)
      return {
        data: {
          instruction: await explainPrivateTarget(host, { privateTargets, deployment, resolve: resolveWithSystem }),
        },
      }
    },
  )

  app.get(
    '/api/server/settings',
    {
      ...options,
      schema: {
        tags,
        operationId: 'getServerSettings',
        summary: 'Get the server settings',
        description: 'The public URL and the mail server, and where each comes from. Passwords are never returned.',
        response: { 200: ServerSettingsResponse },
      },
    },
    async () => {
      await serverSettings.refresh(db)
      return describe()
    },
  )

  app.put(
    '/api/server/settings/url',
    {
      ...options,
      schema: {
        tags,
        operationId: 'updatePublicUrl',
        summary: 'Update the public URL of the server',
        description:
          'Belfry first requests the URL, and saves it only if it leads to this installation (otherwise 422). 409 if the environment sets it. Takes up to 8 seconds.',
        body: UpdatePublicUrl,
        response: { 200: ServerSettingsResponse },
        errors: [409],
      },
    },
    async (request) => {
      const { origin, referer } = request.headers
      const { userId } = sessionOf(request)
      await requireAdminProof(request, request.body.current_password)
      await savePublicUrl(deps, request.body.url, { userId, origin, referer })
      log.info({ user: userId, url: config.url }, 'an admin set the public URL')
      return describe()
    },
  )

  app.delete(
    '/api/server/settings/url',
    {
      ...options,
      schema: {
        tags,
        operationId: 'deletePublicUrl',
        summary: 'Delete the saved public URL',
        response: { 200: settingDeletedResponse('public_url') },
      },
    },
    async (request) => {
      await removeSetting(deps, 'public_url')
      log.info({ user: sessionOf(request).userId }, 'an admin deleted the public URL')
      return { object: 'public_url' as const, deleted: true as const }
    },
  )

  app.put(
    '/api/server/settings/mail',
    {
      ...options,
      schema: {
        tags,
        operationId: 'updateMailServer',
        summary: 'Update the mail server',
        description:
          'Belfry first sends a test email to your own address, and saves the mail server only if it accepts the email (otherwise 502). 409 if the environment sets it. Takes up to 10 seconds.',
        body: UpdateMailServer,
        response: { 200: ServerSettingsResponse },
        errors: [409, 502],
      },
    },
    async (request) => {
      const { userId, email } = sessionOf(request)
      await requireAdminProof(request, request.body.current_password)
      await saveMailServer(deps, request.body, { userId, email })
      log.info({ user: userId, host: request.body.host }, 'an admin set the mail server')
      return describe()
    },
  )

  app.delete(
    '/api/server/settings/mail',
    {
      ...options,
      schema: {
        tags,
        operationId: 'deleteMailServer',
        summary: 'Delete the saved mail server',
        response: { 200: settingDeletedResponse('mail_server') },
      },
    },
    async (request) => {
      await removeSetting(deps, 'mail_server')
      log.info({ user: sessionOf(request).userId }, 'an admin deleted the mail server')
      return { object: 'mail_server' as const, deleted: true as const }
    },
  )

  app.post(
    '/api/server/settings/mail/test',
    {
      ...options,
      schema: {
        tags,
        operationId: 'testMailServer',
        summary: 'Send a test email',
        description:
          'Sends an email to your own address with the settings that apply, including those of the environment, and stores the result as `tested_at` and `test_error`. 502 if the mail server does not accept the email, 409 if no mail server is set. Takes up to 10 seconds.',
        response: { 200: ServerSettingsResponse },
        errors: [409, 502],
      },
    },
    async (request) => {
      const { userId, email } = sessionOf(request)
      await testMailServer(deps, { userId, email })
      return describe()
    },
  )

  app.put(
    '/api/server/settings/backups',
    {
      ...options,
      schema: {
        tags,
        operationId: 'updateBackups',
        summary: 'Update whether backups are made without `belfry backup`',
        body: UpdateBackups,
        response: { 200: ServerSettingsResponse },
      },
    },
    async (request) => {
      await saveOtherBackups(deps, request.body.made_elsewhere)
      return describe()
    },
  )
}
