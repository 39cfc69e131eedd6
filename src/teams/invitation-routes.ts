/** Invitations to teams: for those who manage a team, and for those who open the link of an invitation. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requirePasswordSignIn } from '../accounts/password-sign-in.ts'
import { anyone, optionalCaller, sessionOnly } from '../http/access.ts'
import type { App } from '../http/app-type.ts'
import { crossSiteProblem, sessionOf } from '../http/authentication.ts'
import { originOf } from '../http/change-origin.ts'
import { describeClient } from '../http/client.ts'
import { readSessionCookie, setSessionCookie } from '../http/cookies.ts'
import { sendCreated } from '../http/idempotent-create.ts'
import { getBaseUrl, isCrossSite } from '../http/origin.ts'
import type { RouteDeps } from '../http/route-deps.ts'
import { toClientNetwork } from '../lib/network-address.ts'
import { Problem } from '../lib/problem.ts'
import { deletedResponse, idParams, toDeleted } from '../lib/schemas.ts'
import type { SessionCaller } from '../storage/caller.ts'
import {
  AcceptInvitation,
  CreateInvitation,
  InvitationAcceptedResponse,
  InvitationCreatedResponse,
  InvitationList,
  InvitationPreviewResponse,
  type InvitationRecord,
  invitationParams,
  PreviewInvitation,
} from './invitation-schema.ts'
import { type InvitationRow, listInvitations } from './invitation-store.ts'
import {
  acceptAsUser,
  acceptWithPassword,
  createInvitation,
  getInvitation,
  type InvitationDeps,
  mailInvitation,
  revokeInvitation,
  toInvitationUrl,
} from './invitations.ts'
import { findTeam, type TeamRow } from './store.ts'

const tags = ['Teams']

function toInvitationRecord(row: InvitationRow): InvitationRecord {
  const { guest_can_edit, website_ids, page_ids, created_at, expires_at, ...fields } = row
  const isGuest = row.role === 'guest'
  return {
    ...fields,
    access: isGuest ? (guest_can_edit ? 'edit' : 'read') : null,
    website_ids: isGuest ? website_ids : null,
    status_page_ids: isGuest ? page_ids : null,
    created_at: created_at.toISOString(),
    expires_at: expires_at.toISOString(),
  }
}

export function invitationRoutes(app: App, deps: RouteDeps & InvitationDeps): void {
  const { config, db, log } = deps
  managementRoutes(app, deps)

  app.post(
    '/api/invitations/preview',
    {
      config: { access: anyone },
      schema: {
        tags,
        operationId: 'previewInvitation',
        summary: 'Get an invitation by its link',
        description: 'For anyone who has the link. Does not say whether the address has an account.',
        body: PreviewInvitation,
        response: { 200: InvitationPreviewResponse },
        errors: [403, 404],
      },
    },
    async (request, reply) => {
      if (isCrossSite(config, request)) throw crossSiteProblem()
      const { has_account: _, expires_at, ...preview } = await getInvitation(deps, readLink(request))
      reply.header('cache-control', 'no-store')
      return { data: { ...preview, expires_at: expires_at.toISOString() } }
    },
  )

  app.post(
    '/api/invitations/accept',
    {
      config: { access: optionalCaller(), right: 'account' },
      schema: {
        tags,
        operationId: 'acceptInvitation',
        summary: 'Accept an invitation',
        description:
          'With a session whose user has the invited address: joins the team (200). Otherwise with `password`: creates an account with the invited address, joins the team and signs in (201). 409 if the address already has an account: sign in first. The session then acts in the team.',
        body: AcceptInvitation,
        response: { 200: InvitationAcceptedResponse, 201: InvitationAcceptedResponse },
        errors: [404, 409],
      },
    },
    async (request, reply) => {
      if (isCrossSite(config, request)) throw crossSiteProblem()
      const link = readLink(request)
      const caller = await findSession(request)
      const recordingDeps = { ...deps, db: db.recordingOrigin(originOf(request)) }
      reply.header('cache-control', 'no-store')
      if (caller !== undefined) {
        const { user, teamId } = await acceptAsUser(recordingDeps, link, caller)
        app.forgetCaller(request)
        const token = readSessionCookie(request)?.token
        return reply.send(sendSession(request, reply, { user, teamId, token }))
      }
      requirePasswordSignIn(config)
      const { user, teamId, sessionToken } = await acceptWithPassword(recordingDeps, link, {
        password: request.body.password,
        client: describeClient(request),
      })
      log.info({ user: user.id, team: teamId }, 'an invitation created an account')
      return reply
        .code(201)
        .header('location', `${getBaseUrl(config, request)}/api/session`)
        .send(sendSession(request, reply, { user, teamId, token: sessionToken }))
    },
  )

  /** A browser whose session has ended counts as signed out. */
  async function findSession(request: FastifyRequest): Promise<SessionCaller | undefined> {
    const { caller } = request
    if (caller === undefined) return undefined
    if (caller.kind === 'key') throw new Problem('forbidden', "API keys can't do this. Sign in instead.")
    try {
      await db.as(caller).confirm()
      return caller
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
      app.forgetCaller(request)
      return undefined
    }
  }

  function sendSession(request: FastifyRequest, reply: FastifyReply, { user, teamId, token }: SignedInMember) {
    if (token !== undefined) setSessionCookie(config, request, reply, { token, teamHint: String(teamId) })
    const { id, email, is_admin } = user
    return { data: { user: { id, email, is_admin }, team_id: teamId } }
  }
}

interface SignedInMember {
  user: { id: number; email: string; is_admin: boolean }
  teamId: number
  token: string | undefined
}

const readLink = ({ body, ip }: FastifyRequest) => ({
  token: (body as { token: string }).token,
  clientNetwork: toClientNetwork(ip),
})

function managementRoutes(app: App, deps: RouteDeps & InvitationDeps): void {
  const { clock, config, db, log } = deps

  app.get(
    '/api/teams/:id/invitations',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'listInvitations',
        summary: 'List the open invitations of a team',
        description: 'For owners and admins.',
        params: idParams,
        response: { 200: InvitationList },
      },
    },
    async (request) => {
      const rows = await listInvitations(db.inTeam(sessionOf(request), request.params.id, 'manage'), clock.now())
      return { data: rows.map(toInvitationRecord), meta: { total: rows.length } }
    },
  )

  app.post(
    '/api/teams/:id/invitations',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'createInvitation',
        summary: 'Invite a person to a team',
        description:
          'For owners and admins; only owners invite owners. The link works once, within 48 hours, for this address. It is mailed if the server can send email, and `url` is another link that you can pass on yourself. Replaces an earlier invitation of the address; only owners replace one with the role owner.',
        params: idParams,
        body: CreateInvitation,
        response: { 201: InvitationCreatedResponse },
        errors: [409],
      },
    },
    async (request, reply) => {
      const { params, body } = request
      const caller = sessionOf(request)
      const tenant = db.inTeam(caller, params.id, body.role === 'owner' ? 'own' : 'manage')
      const { team, ...created } = await tenant.transaction(async (q) => ({
        ...(await createInvitation(q, body, { clock, server: db })),
        team: (await findTeam(q, params.id)) as TeamRow,
      }))
      const { isMailed, problem } = await mailInvitation(deps, { ...team, inviterId: caller.userId, tenant }, created)
      if (problem !== null) log.warn({ team: params.id, reason: problem }, 'an invitation was not mailed')
      const responseBody = {
        data: {
          ...toInvitationRecord({ ...created.row, is_mailed: isMailed }),
          url: toInvitationUrl(getBaseUrl(config, request), created.token),
          mail_problem: problem,
        },
      }
      reply.header('cache-control', 'no-store')
      return sendCreated(deps, request, reply, {
        path: `/api/teams/${params.id}/invitations/${created.row.id}`,
        responseBody,
      })
    },
  )

  app.delete(
    '/api/teams/:id/invitations/:invitation_id',
    {
      config: { access: sessionOnly, right: 'account' },
      schema: {
        tags,
        operationId: 'deleteInvitation',
        summary: 'Revoke an invitation',
        description:
          'For owners and admins; only owners revoke invitations with the role owner. Its links stop working immediately.',
        params: invitationParams,
        response: { 200: deletedResponse('invitation') },
      },
    },
    async (request) => {
      const { id, invitation_id: invitationId } = request.params
      await db.inTeam(sessionOf(request), id, 'manage').transaction((q) => revokeInvitation(q, invitationId))
      return toDeleted('invitation', invitationId)
    },
  )
}
