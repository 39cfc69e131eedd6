/** The team in which the user works, and what their role there allows. */

import { type CallerRole, hasRight, isGuest, type Right, type Role } from '../../src/shared/roles.ts'
import type { BootTeam } from '../../src/web/schema.ts'
import { api } from './api.ts'
import { boot } from './boot.ts'
import { reloadAllTabs } from './sign-out.ts'

/** `browse`: sees everything that belongs to the team. Guests see only what was shared with them. */
export type Permission = Exclude<Right, 'account' | 'read'> | 'browse'

export const teams: readonly BootTeam[] = boot.teams ?? []

const chosenTeam = teams.find(({ is_current }) => is_current)
export const currentTeamName = chosenTeam?.name

/** Users who have only their own team are its owner. */
export const currentTeamId = chosenTeam?.id ?? boot.user?.id
export const currentRole: Role = chosenTeam?.role ?? 'owner'

/** Whether the team requires a second factor that the user has not proved. */
export const isSecondFactorNeeded = chosenTeam?.needs_second_factor ?? false

const callerRole: CallerRole = chosenTeam?.role === 'guest' && chosenTeam.guest_can_edit ? 'guest editor' : currentRole

/**
 * Whether the role of the user allows something. The pages hide what the server would refuse. If the role changes while the page is open,
 * the server refuses with a message that says so.
 */
export function can(permission: Permission): boolean {
  if (boot.user === null) return false
  return permission === 'browse' ? !isGuest(callerRole) : hasRight(callerRole, permission)
}

/** A new session acts in the user's own team. Call it when the page goes on with another session. */
export async function returnToShownTeam(): Promise<void> {
  if (chosenTeam !== undefined) await api.put('api/session', { team_id: chosenTeam.id })
}

/** All tabs share the session, so all of them load the overview of the other team, which leaves no data of this team in memory. */
export async function switchTeam(teamId: number): Promise<void> {
  await api.put('api/session', { team_id: teamId })
  reloadAllTabs()
}
