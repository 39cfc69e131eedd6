/** Lets admins set up single sign-on on a page. `GET /api/server/settings` shows the settings. */
import { adminOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf, sessionOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { toServerSettingsRecord } from '../server-settings/describe-settings.ts'
import { ServerSettingsResponse, settingDeletedResponse } from '../server-settings/schema.ts'
import { requireProofOrFreshSession } from '../sign-in/confirm.ts'
import { SingleSignOnTestResponse, TestSingleSignOn, UpdateSingleSignOn } from './schema.ts'
import { removeSingleSignOn, type SingleSignOnSettingsDeps, saveSingleSignOn, testSingleSignOn } from './settings.ts'
import type { SingleSignOn } from './single-sign-on.ts'

export function singleSignOnSettingsRoutes(
  app: App,
  deps: RouteDeps & SingleSignOnSettingsDeps,
  singleSignOn: SingleSignOn,
): void {
  const { db, log, serverSettings } = deps
  const tags = ['Server']
  const options = {
    config: { access: adminOnly },
    // Settings belong to no user, so no query for them would notice that the session has ended.
    preHandler: async (request: Parameters<typeof callerOf>[0]) => db.as(callerOf(request)).confirm(),
  }

  app.put(
    '/api/server/settings/single-sign-on',
    {
      ...options,
      schema: {
        tags,
        operationId: 'updateSingleSignOn',
        summary: 'Update single sign-on',
        description:
          'Belfry first asks the identity provider, and saves the settings only if it finds the provider and the provider does not reject the client (otherwise 502). 409 if the environment sets it, or with `only` if your own account is not linked. Takes up to 12 seconds.',
        body: UpdateSingleSignOn,
        response: { 200: ServerSettingsResponse },
        errors: [409, 502],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      // A provider can name anybody, so a stolen session of an admin must not be enough to choose another one.
      await requireProofOrFreshSession(db, deps, caller, request.body.current_password)
      await saveSingleSignOn(deps, request.body, caller, singleSignOn.redirectUrl)
      log.info({ user: caller.userId, issuer: request.body.issuer }, 'an admin set up single sign-on')
      return { data: toServerSettingsRecord(serverSettings) }
    },
  )

  app.delete(
    '/api/server/settings/single-sign-on',
    {
      ...options,
      schema: {
        tags,
        operationId: 'deleteSingleSignOn',
        summary: 'Delete the saved settings of single sign-on',
        response: { 200: settingDeletedResponse('single_sign_on') },
      },
    },
    async (request) => {
      await removeSingleSignOn(deps)
      log.info({ user: sessionOf(request).userId }, 'an admin deleted the settings of single sign-on')
      return { object: 'single_sign_on' as const, deleted: true as const }
    },
  )

  app.post(
    '/api/server/settings/single-sign-on/test',
    {
      ...options,
      schema: {
        tags,
        operationId: 'testSingleSignOn',
        summary: 'Test single sign-on',
        description:
          'Looks for the identity provider, and asks it whether it accepts the client. Tests the entered settings, and the ones that apply where nothing is entered. `problem` says what is wrong. 409 if nothing is set up or entered. Takes up to 12 seconds.',
        body: TestSingleSignOn,
        response: { 200: SingleSignOnTestResponse },
        errors: [409],
      },
    },
    async (request) => ({
      data: await testSingleSignOn(deps, request.body, sessionOf(request), singleSignOn.redirectUrl),
    }),
  )
}
