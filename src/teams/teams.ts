/** Creates and deletes teams, and changes their members. */
import { parseDisplayName } from '../lib/field-parser.ts'
import { formatFieldError, invalid, notFound, Problem, rateLimited } from '../lib/problem.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'
import { hasNodeBefore } from '../nodes/store.ts'
import type { GuestAccess, Role } from '../shared/roles.ts'
import { DAY_SECONDS } from '../shared/time.ts'
import type { SessionCaller } from '../storage/caller.ts'
import type { Queries } from '../storage/transaction.ts'
import type { UpdateMember, UpdateTeam } from './schema.ts'
import {
  deleteActingTeam,
  deleteMember,
  findTeam,
  findUnknownShares,
  insertTeam,
  isStrongSession,
  listMembers,
  listTeams,
  lockAndCountContents,
  lockMember,
  lockUserAndCountOwnedTeams,
  type MemberRow,
  replaceShares,
  type TeamRow,
  updateMemberRole,
  updateSecondFactorRequirement,
  updateTeamName,
} from './store.ts'

/** Each team has limits of its own, so users must not be able to create any number of them. */
const MAX_OWNED_TEAMS = 20

/** How many new teams a person can get per day. Deleted teams count, because every new team starts with unused limits. */
const newTeamLimit: RateLimit = { count: 20, windowSeconds: DAY_SECONDS }

/** Counts a team that the user creates. Call it outside a transaction, because the count isn't rolled back. */
export async function limitNewTeams<T>(counter: WindowCounter, userId: number, work: () => Promise<T>): Promise<T> {
  const name = `teams:user:${userId}`
  const { allowed, retryAfterSeconds } = counter.take(name, newTeamLimit)
  if (!allowed) {
    throw rateLimited(
      `You've reached the daily limit of ${newTeamLimit.count} new teams. Try again tomorrow.`,
      retryAfterSeconds,
    )
  }
  try {
    return await work()
  } catch (error) {
    counter.refund(name)
    throw error
  }
}

/** `work` removes the caller from the team. If it is their last team, they get a new one, which counts as a new team. */
export async function limitLastTeamReplacement<T>(
  { counter, tenant }: { counter: WindowCounter; tenant: Queries },
  { teamId, userId }: { teamId: number; userId: number },
  work: () => Promise<T>,
): Promise<T> {
  const teams = await listTeams(tenant)
  const isLastTeam = teams.length === 1 && teams[0]?.id === teamId
  return isLastTeam ? limitNewTeams(counter, userId, work) : work()
}

/** `server` has access to the list of nodes. Call it in a transaction. */
export async function createTeam(q: Queries, name: string, server: Queries): Promise<TeamRow> {
  await requireNoOlderNodes(server)
  if ((await lockUserAndCountOwnedTeams(q)) >= MAX_OWNED_TEAMS) {
    throw invalid({ name: [`You already own ${MAX_OWNED_TEAMS} teams, the maximum. Delete one first.`] })
  }
  return (await findTeam(q, await insertTeam(q, parseTeamName(name)))) as TeamRow
}

function parseTeamName(name: string): string {
  const result = parseDisplayName(name)
  if ('errors' in result) throw invalid({ name: result.errors.map((rule) => formatFieldError('name', rule)) })
  return result.value
}

/** A session whose user has left its team goes on in the user's own team, or else in the oldest one. */
export function findCurrentTeam(teams: readonly { id: number }[], { teamId, userId }: SessionCaller): number {
  const ids = teams.map(({ id }) => id)
  return [teamId, userId].find((id) => ids.includes(id)) ?? Math.min(...ids)
}

/** The first schema version with teams. Nodes of earlier versions show each user only their own team. */
const TEAMS_SCHEMA_VERSION = 17

export async function requireNoOlderNodes(server: Queries): Promise<void> {
  if (!(await hasNodeBefore(server, TEAMS_SCHEMA_VERSION))) return
  throw new Problem(
    'conflict',
    'An older version of Belfry is still running on another node, and it does not know teams. Upgrade all nodes first.',
  )
}

/** Fields that are undefined do not change. Call it in a transaction that acts in the team. */
export async function changeTeam(q: Queries, sessionId: number, changes: UpdateTeam): Promise<void> {
  const { name, requires_second_factor: isRequired } = changes
  if (name !== undefined) await updateTeamName(q, parseTeamName(name))
  if (isRequired === undefined) return
  // Otherwise, the change would lock out the person who makes it.
  if (isRequired && !(await isStrongSession(q, sessionId))) {
    throw new Problem(
      'conflict',
      'Set up a second factor for your own account first, or sign in again with it. Then the team can require one.',
    )
  }
  await updateSecondFactorRequirement(q, isRequired)
}

/** Singular and plural names of what a team can own. */
const thingNames = {
  websites: ['website', 'websites'],
  monitors: ['monitor', 'monitors'],
  providers: ['notification channel', 'notification channels'],
  status_pages: ['status page', 'status pages'],
} as const

/** Call it in a transaction that acts in the team. */
export async function deleteTeam(q: Queries): Promise<void> {
  const { members, ...things } = await lockAndCountContents(q)
  if (members > 1) throw new Problem('conflict', 'The team still has other members. Remove them first.')
  const remaining = Object.entries(things).filter(([, count]) => count > 0)
  if (remaining.length > 0) {
    const list = remaining.map(
      ([name, count]) => `${count} ${thingNames[name as keyof typeof things][count === 1 ? 0 : 1]}`,
    )
    throw new Problem(
      'conflict',
      `The team still has ${list.join(', ')}. Delete them first. Websites and monitors can also move to another team.`,
    )
  }
  await deleteActingTeam(q)
}

export async function getMember(q: Queries, userId: number): Promise<MemberRow> {
  const [member] = await listMembers(q, userId)
  if (member === undefined) throw notFound()
  return member
}

/** Fields that are undefined do not change. Call it in a transaction that acts in the team. */
export async function changeMember(q: Queries, userId: number, changes: UpdateMember): Promise<MemberRow> {
  // Unchanged fields are written back with the values read here. The lock keeps that from undoing a concurrent change.
  if (!(await lockMember(q, userId))) throw notFound()
  const member = await getMember(q, userId)
  const role = changes.role ?? member.role
  requireGuestForShares(role, changes)
  const isNewGuest = role === 'guest' && member.role !== 'guest'
  const access = changes.access ?? (isNewGuest || !member.guest_can_edit ? 'read' : 'edit')
  await requireKnownShares(q, changes)
  if (!(await updateMemberRole(q, userId, role, isEditAccess(role, access)))) throw notFound()
  // undefined leaves shares as they are. What was shared with a guest who gets another role is deleted.
  const unsentShares = role === 'guest' ? undefined : []
  await replaceShares(q, userId, {
    websiteIds: changes.website_ids ?? unsentShares,
    pageIds: changes.status_page_ids ?? unsentShares,
  })
  return getMember(q, userId)
}

const isEditAccess = (role: Role, access: GuestAccess) => role === 'guest' && access === 'edit'

type GuestFields = Pick<UpdateMember, 'access' | 'website_ids' | 'status_page_ids'>

/** Throws if one of these fields is sent for another role than guest. Other roles see everything, so nothing can be shared with them. */
export function requireGuestForShares(role: Role, fields: GuestFields): void {
  if (role === 'guest') return
  const names = (['access', 'website_ids', 'status_page_ids'] as const).filter((name) => fields[name] !== undefined)
  if (names.length === 0) return
  throw invalid(Object.fromEntries(names.map((name) => [name, [`\`${name}\` is only for the role \`guest\`.`]])))
}

export async function requireKnownShares(q: Queries, fields: GuestFields): Promise<void> {
  const unknown = await findUnknownShares(q, {
    websiteIds: fields.website_ids ?? [],
    pageIds: fields.status_page_ids ?? [],
  })
  const errors = {
    ...(unknown.websiteIds.length > 0 && {
      website_ids: [`The team has no website ${unknown.websiteIds.join(', ')}.`],
    }),
    ...(unknown.pageIds.length > 0 && {
      status_page_ids: [`The team has no status page ${unknown.pageIds.join(', ')}.`],
    }),
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

/** Call it in a transaction that acts in the team. */
export async function removeMember(q: Queries, teamId: number, userId: number): Promise<void> {
  if (!(await deleteMember(q, teamId, userId))) throw notFound()
}
