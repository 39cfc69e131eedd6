/** Moving websites and monitors to another team. */
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { idParams } from '../lib/schemas.ts'
import { moveMonitor, moveWebsite, requireStrongSession } from './moves.ts'
import { Move, MovedResponse } from './schema.ts'

const config = { access: sessionOnly, right: 'manage' } as const

const description =
  'You must be an owner or admin of both teams. The history comes along. Assignments to notification channels, places on status pages, and maintenances of the old team do not.'

export function moveRoutes(app: App, { db, secret }: RouteDeps): void {
  app.post(
    '/api/v1/websites/:id/move',
    {
      config,
      schema: {
        tags: ['Teams'],
        operationId: 'moveWebsite',
        summary: 'Move a website to another team',
        description,
        params: idParams,
        body: Move,
        response: { 200: MovedResponse },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const move = { id: request.params.id, from: caller.teamId, to: request.body.team_id }
      await requireStrongSession(db, caller, move.to)
      await db
        .on('background')
        .as(caller)
        .transaction((q) => moveWebsite(q, move))
      return { data: { id: move.id, team_id: move.to } }
    },
  )

  app.post(
    '/api/monitors/:id/move',
    {
      config,
      schema: {
        tags: ['Teams'],
        operationId: 'moveMonitor',
        summary: 'Move a monitor to another team',
        description,
        params: idParams,
        body: Move,
        response: { 200: MovedResponse },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const move = { id: request.params.id, from: caller.teamId, to: request.body.team_id }
      await requireStrongSession(db, caller, move.to)
      await db
        .on('background')
        .as(caller)
        .transaction((q) => moveMonitor(q, move, secret))
      return { data: { id: move.id, team_id: move.to } }
    },
  )
}
