/** Teams, and the choice of the team in which a session acts. */
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import { readSessionCookie, setSessionCookie } from '../http/cookies.ts'
import { sendCreated } from '../http/idempotent-create.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { ChooseTeam, CreateTeam, TeamList, type TeamRecord, TeamResponse, UpdateTeam } from './schema.ts'
import { chooseTeam, findTeam, listTeams, type TeamRow } from './store.ts'
import {
  changeTeam,
  createTeam,
  deleteTeam,
  findCurrentTeam,
  limitLastTeamReplacement,
  limitNewTeams,
} from './teams.ts'

const tags = ['Teams']

function toTeamRecord({ created_at, ...row }: TeamRow, currentTeamId: number): TeamRecord {
  return { ...row, is_current: row.id === currentTeamId, created_at: created_at.toISOString() }
}

export function teamRoutes(app: App, deps: RouteDeps): void {
  const { config, counter, db } = deps

  app.get(
    '/api/teams',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: { tags, operationId: 'listTeams', summary: 'List your teams', response: { 200: TeamList } },
    },
    async (request) => {
      const caller = sessionOf(request)
      const teams = await listTeams(db.as(caller))
      if (!teams.some(({ id }) => id === caller.teamId)) app.forgetCaller(request)
      const currentTeamId = findCurrentTeam(teams, caller)
      return { data: teams.map((row) => toTeamRecord(row, currentTeamId)), meta: { total: teams.length } }
    },
  )

  app.post(
    '/api/teams',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'createTeam',
        summary: 'Create a team',
        description:
          'You become its owner. Your session goes on acting in its current team. You can own 20 teams (otherwise 422), and create 20 a day (otherwise 429).',
        body: CreateTeam,
        response: { 201: TeamResponse },
        errors: [409],
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const team = await limitNewTeams(counter, caller.userId, () =>
        db.as(caller).transaction((q) => createTeam(q, request.body.name, db)),
      )
      const responseBody = { data: toTeamRecord(team, caller.teamId) }
      return sendCreated(deps, request, reply, { path: `/api/teams/${team.id}`, responseBody })
    },
  )

  app.get(
    '/api/teams/:id',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'getTeam',
        summary: 'Get a team',
        params: idParams,
        response: { 200: TeamResponse },
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const team = await findTeam(db.as(caller), request.params.id)
      if (team === undefined) throw notFound()
      return { data: toTeamRecord(team, caller.teamId) }
    },
  )

  app.patch(
    '/api/teams/:id',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'updateTeam',
        summary: 'Update a team',
        description:
          'For owners and admins of the team. To require a second factor, your own session must have proved one; otherwise, the response is 409.',
        params: idParams,
        body: UpdateTeam,
        response: { 200: TeamResponse },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const { id } = request.params
      const team = await db.inTeam(caller, id, 'manage').transaction(async (q) => {
        await changeTeam(q, caller.sessionId, request.body)
        return findTeam(q, id)
      })
      return { data: toTeamRecord(team as TeamRow, caller.teamId) }
    },
  )

  app.delete(
    '/api/teams/:id',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'deleteTeam',
        summary: 'Delete a team',
        description:
          'For owners. The team must have no other members, and no websites, monitors, notification channels or status pages. If it is your last team, you get a new one, which counts as created.',
        params: idParams,
        response: { 200: deletedResponse('team') },
        errors: [403, 409],
      },
    },
    async (request) => {
      const { id } = request.params
      const caller = sessionOf(request)
      await limitLastTeamReplacement({ counter, tenant: db.as(caller) }, { teamId: id, userId: caller.userId }, () =>
        db.inTeam(caller, id, 'own').transaction(deleteTeam),
      )
      app.forgetCaller(request)
      return toDeleted('team', id)
    },
  )

  app.put(
    '/api/session',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags: ['Session'],
        operationId: 'chooseTeam',
        summary: 'Choose the team in which your session acts',
        body: ChooseTeam,
        response: { 200: TeamResponse },
        errors: [404],
      },
    },
    async (request, reply) => {
      const caller = sessionOf(request)
      const { team_id: teamId } = request.body
      const team = await db.as(caller).transaction(async (q) => {
        if (!(await chooseTeam(q, caller.sessionId, teamId))) throw notFound()
        return findTeam(q, teamId)
      })
      app.forgetCaller(request)
      const cookie = readSessionCookie(request)
      if (cookie !== undefined) setSessionCookie(config, request, reply, { ...cookie, teamHint: String(teamId) })
      return { data: toTeamRecord(team as TeamRow, teamId) }
    },
  )
}
