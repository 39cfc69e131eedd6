/** The members of a team. */
import { sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { sessionOf } from '../http/authentication.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { notFound } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import { MemberList, type MemberRecord, MemberResponse, memberParams, UpdateMember } from './schema.ts'
import { listMembers, type MemberRow } from './store.ts'
import { changeMember, limitLastTeamReplacement, removeMember } from './teams.ts'

const tags = ['Teams']

function toMemberRecord({ guest_can_edit, joined_at, ...row }: MemberRow): MemberRecord {
  const access = row.role === 'guest' ? (guest_can_edit ? 'edit' : 'read') : null
  return { ...row, access, joined_at: joined_at.toISOString() }
}

export function memberRoutes(app: App, { counter, db }: RouteDeps): void {
  app.get(
    '/api/teams/:id/members',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'listMembers',
        summary: 'List the members of a team',
        description: 'Guests of the team get 404.',
        params: idParams,
        response: { 200: MemberList },
      },
    },
    async (request) => {
      const members = await listMembers(db.inTeam(sessionOf(request), request.params.id, 'read'))
      if (members.length === 0) throw notFound()
      return { data: members.map(toMemberRecord), meta: { total: members.length } }
    },
  )

  app.patch(
    '/api/teams/:id/members/:user_id',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'updateMember',
        summary: 'Change the role of a member',
        description:
          'For owners and admins. Only owners can appoint and change owners. A guest can get `access`, `website_ids` and `status_page_ids`.',
        params: memberParams,
        body: UpdateMember,
        response: { 200: MemberResponse },
        errors: [403, 409],
      },
    },
    async (request) => {
      const { id, user_id: userId } = request.params
      const tenant = db.inTeam(sessionOf(request), id, 'manage')
      return { data: toMemberRecord(await tenant.transaction((q) => changeMember(q, userId, request.body))) }
    },
  )

  app.delete(
    '/api/teams/:id/members/:user_id',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'removeMember',
        summary: 'Remove a member, or leave the team',
        description:
          'Owners and admins remove members; every member can leave. Their API keys in this team stop working immediately, and open invitations for their address are deleted. The last owner of a team can not leave.',
        params: memberParams,
        response: { 200: deletedResponse('member') },
        errors: [403, 409],
      },
    },
    async (request) => {
      const caller = sessionOf(request)
      const { id, user_id: userId } = request.params
      // People can leave without the second factor that the team requires.
      const isLeaving = userId === caller.userId
      const tenant = db.inTeam(caller, id, isLeaving ? 'account' : 'manage')
      const remove = () => tenant.transaction((q) => removeMember(q, id, userId))
      if (isLeaving) {
        await limitLastTeamReplacement({ counter, tenant: db.as(caller) }, { teamId: id, userId }, remove)
        app.forgetCaller(request)
      } else await remove()
      return toDeleted('member', userId)
    },
  )
}
