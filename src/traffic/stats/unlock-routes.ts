import { optionalCaller } from '../../http/access.ts'
import type { App } from '../../http/app-type.ts'
import { crossSiteProblem } from '../../http/authentication.ts'
import { setCookie } from '../../http/cookies.ts'
import { isCrossSite } from '../../http/origin.ts'
import type { RouteDeps } from '../../http/route-deps.ts'
import { toClientNetwork } from '../../lib/network-address.ts'
import { UNLOCK_SECONDS } from '../../lib/password-lock.ts'
import { idParams, itemResponse, timestampOrNull } from '../../lib/schemas.ts'
import { Type } from '../../lib/type.ts'
import { MAX_PASSWORD_LENGTH } from '../../shared/limits.ts'
import { unlockStatistics } from './unlock.ts'

const UnlockRequest = Type.Object(
  {
    password: Type.String({
      minLength: 1,
      maxLength: MAX_PASSWORD_LENGTH,
      format: 'password',
      examples: ['open sesame'],
    }),
  },
  { additionalProperties: false },
)

const UnlockResponseData = Type.Object(
  {
    unlocked: Type.Literal(true),
    expires_at: { ...timestampOrNull, description: 'When the cookie expires; null if no password was needed' },
  },
  { additionalProperties: false },
)

export function unlockRoutes(app: App, services: RouteDeps): void {
  const { config } = services

  app.post(
    '/api/v1/stats/:id/unlock',
    {
      config: { access: optionalCaller('websites:read'), right: 'read' },
      schema: {
        tags: ['Statistics'],
        operationId: 'unlockStatistics',
        summary: 'Unlock statistics with the password',
        description:
          'Sets a cookie that opens the statistics of this website for 30 days, or until its password is changed. Wrong passwords are rate limited.',
        params: idParams,
        body: UnlockRequest,
        response: { 200: itemResponse(UnlockResponseData) },
      },
    },
    async (request, reply) => {
      if (isCrossSite(config, request)) throw crossSiteProblem()
      const { cookie } = await unlockStatistics(services, request.params, {
        password: request.body.password,
        clientNetwork: toClientNetwork(request.ip),
        caller: request.caller,
      })
      if (cookie !== undefined) setCookie(config, request, reply, { ...cookie, lifetimeSeconds: UNLOCK_SECONDS })
      const expiresAt = cookie === undefined ? null : new Date(cookie.expiresAt * 1000).toISOString()
      return { data: { unlocked: true as const, expires_at: expiresAt } }
    },
  )
}
