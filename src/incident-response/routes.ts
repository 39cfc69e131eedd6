import { acknowledgeIncident } from '../alerts/acknowledge.ts'
import { requireScopes } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { callerOf } from '../http/authentication.ts'
import { createIdempotently } from '../http/idempotent-create.ts'
import { pageQuery, toPageMeta, toPageRequest } from '../http/paging.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound, Problem } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { Type } from '../lib/type.ts'
import { getAccountIncident, listAccountIncidents } from './incident-list.ts'
import { deleteNote, findCallerEmail } from './note-store.ts'
import { addNote, parseNoteText } from './notes.ts'
import { countInState } from './page-parts.ts'
import {
  AccountIncidentList,
  AccountIncidentQuery,
  AccountIncidentResponse,
  CreateIncidentNote,
  IncidentNoteResponse,
  noteParams,
} from './schema.ts'

const DEFAULT_PAGE_SIZE = 20
const MAX_PAGE_SIZE = 100

const tags = ['Incidents']
const readAccess = { access: requireScopes('monitors:read') }
const writeAccess = { access: requireScopes('monitors:write') }

export function incidentResponseRoutes(app: App, deps: RouteDeps): void {
  const { clock, config, db } = deps

  app.get(
    '/api/incidents',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'listIncidents',
        summary: 'List the incidents of all monitors, ongoing ones first',
        description: 'Ongoing incidents come first, then resolved ones, both with the newest first.',
        querystring: Type.Object({
          ...AccountIncidentQuery.properties,
          ...pageQuery(DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE),
        }),
        response: { 200: AccountIncidentList },
      },
    },
    async (request) => {
      const page = toPageRequest(request.query, DEFAULT_PAGE_SIZE)
      const context = { page, timeZone: config.timeZone, now: clock.now() }
      const { records, counts } = await listAccountIncidents(db.as(callerOf(request)), request.query, context)
      return { data: records, meta: { ...toPageMeta(page, countInState(counts, request.query.state)), ...counts } }
    },
  )

  app.get(
    '/api/incidents/:id',
    {
      config: readAccess,
      schema: {
        tags,
        operationId: 'getIncident',
        summary: 'Get an incident',
        params: idParams,
        response: { 200: AccountIncidentResponse },
      },
    },
    async (request) => ({
      data: await db.as(callerOf(request)).snapshot((q) => getAccountIncident(q, request.params.id, clock.now())),
    }),
  )

  app.post(
    '/api/incidents/:id/acknowledge',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'acknowledgeIncident',
        summary: 'Acknowledge an incident',
        description:
          'Tells others that you are taking care of the incident. It stays ongoing, but Belfry sends no more reminders about it, and no alerts to providers whose `delay_minutes` have not passed yet. If the incident is already acknowledged, nothing changes.',
        params: idParams,
        response: { 200: AccountIncidentResponse },
        errors: [409],
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const now = clock.now()
      const key = { teamId: caller.teamId, incidentId: request.params.id }
      return db.as(caller).transaction(async (q) => {
        const decision = await acknowledgeIncident(q, key, { at: now, by: await findCallerEmail(q) })
        if (decision === undefined) throw notFound()
        if (decision === 'resolved') throw new Problem('conflict', 'The incident is already resolved.')
        return { data: await getAccountIncident(q, key.incidentId, now) }
      })
    },
  )

  app.post(
    '/api/incidents/:id/notes',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'createIncidentNote',
        summary: 'Add a note to an incident',
        params: idParams,
        body: CreateIncidentNote,
        response: { 201: IncidentNoteResponse },
        acceptsIdempotencyKey: true,
      },
    },
    (request, reply) => {
      const text = parseNoteText(request.body.text)
      return createIdempotently(deps, { request, reply }, async (q) => {
        const { teamId } = callerOf(request)
        const { id: incidentId } = request.params
        const note = await addNote(q, { teamId, incidentId, text, now: clock.now() })
        return { path: `/api/incidents/${incidentId}/notes/${note.id}`, responseBody: { data: note } }
      })
    },
  )

  app.delete(
    '/api/incidents/:id/notes/:note_id',
    {
      config: writeAccess,
      schema: {
        tags,
        operationId: 'deleteIncidentNote',
        summary: 'Delete a note of an incident',
        params: noteParams,
        response: { 200: deletedResponse('incident_note') },
      },
    },
    async (request) => {
      const { id, note_id: noteId } = request.params
      const isDeleted = await db.as(callerOf(request)).transaction((q) => deleteNote(q, id, noteId))
      if (!isDeleted) throw notFound()
      return toDeleted('incident_note', noteId)
    },
  )
}
