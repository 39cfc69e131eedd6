/** The caller's sessions, with device and place. */
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { clearSessionCookie } from '../http/cookies.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { describeDevices } from './devices.ts'
import { EndedSessionsResponse, SessionList, type SessionRecord } from './schema.ts'
import { deleteOwnSession, deleteSessionsExcept, listOwnSessions } from './session-store.ts'

const tags = ['Session']
const config = { access: sessionOnly, right: 'account' } as const

export function sessionListRoutes(app: App, deps: RouteDeps): void {
  const { clock, db, log } = deps

  app.get(
    '/api/sessions',
    {
      config,
      schema: { tags, operationId: 'listSessions', summary: 'List your sessions', response: { 200: SessionList } },
    },
    async (request) => {
      const caller = sessionOf(request)
      const sessions = await describeDevices(await listOwnSessions(db.as(caller), clock.now()), log)
      const data = sessions.map(
        ({ id, method, device, place, address, created_at, extended_at, is_strong }): SessionRecord => ({
          id,
          is_current: id === caller.sessionId,
          method,
          device,
          place,
          address,
          created_at: created_at.toISOString(),
          last_seen_at: extended_at.toISOString(),
          is_strong,
        }),
      )
      return { data, meta: { total: data.length } }
    },
  )

  app.delete(
    '/api/sessions',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteOtherSessions',
        summary: 'End all your other sessions',
        response: { 200: EndedSessionsResponse },
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      return { data: { ended: await deleteSessionsExcept(db.as(caller), caller.sessionId) } }
    },
  )

  app.delete(
    '/api/sessions/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'deleteSession',
        summary: 'End one of your sessions',
        params: idParams,
        response: { 200: deletedResponse('session') },
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const { id } = request.params
      if (!(await deleteOwnSession(db.as(caller), id))) throw notFound()
      if (id === caller.sessionId) clearSessionCookie(deps.config, request, reply)
      return toDeleted('session', id)
    },
  )
}
