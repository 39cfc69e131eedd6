import { Type } from 'typebox'
import { reader } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { foreign } from '../../http/authentication.ts'
import { setCookie } from '../../http/cookies.ts'
import { isForeign } from '../../http/origin.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { addressName } from '../../lib/address-name.ts'
import { idPath, one, timeOrNull } from '../../lib/schemas.ts'
import { unlockStatistics } from './unlock.ts'
import { UNLOCK_SECONDS } from './unlock-cookie.ts'

const Unlock = Type.Object(
  { password: Type.String({ minLength: 1, maxLength: 200, format: 'password', examples: ['open sesame'] }) },
  { additionalProperties: false },
)

const Unlocked = Type.Object(
  {
    unlocked: Type.Literal(true),
    expires_at: { ...timeOrNull, description: 'When the cookie ends; null where there was nothing to unlock' },
  },
  { additionalProperties: false },
)

export function unlockRoutes(app: App, services: RouteDeps): void {
  const { config } = services

  app.post(
    '/api/v1/stats/:id/unlock',
    {
      config: { access: reader('websites:read') },
      schema: {
        tags: ['Statistics'],
        summary: 'Unlock statistics with the password',
        description:
          'Sets a cookie that opens the statistics of this website, and no other, for 30 days or until its password is set anew. Wrong passwords are counted.',
        params: idPath,
        body: Unlock,
        response: { 200: one(Unlocked) },
      },
    },
    async (request, reply) => {
      if (isForeign(config, request)) throw foreign()
      const { cookie } = await unlockStatistics(services, request.params, {
        password: request.body.password,
        address: addressName(request.ip),
        caller: request.caller,
      })
      if (cookie !== undefined) setCookie(config, request, reply, cookie, `Max-Age=${UNLOCK_SECONDS}`)
      const expiresAt = cookie === undefined ? null : new Date(cookie.expiresAt * 1000).toISOString()
      return { data: { unlocked: true as const, expires_at: expiresAt } }
    },
  )
}
