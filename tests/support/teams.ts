/** Teams with several members. */
import type { Role } from '../../src/shared/roles.ts'
import type { TestServer, TestUser } from './server.ts'

/** Adds the user to the team of the owner, as accepting an invitation does, and makes their session act in it. */
export async function joinTeam(server: TestServer, teamId: number, user: TestUser, role: Role): Promise<void> {
  await server.services.db.query(
    'insert into team_members (team_id, user_id, role, joined_at) values ($1, $2, $3, now())',
    [teamId, user.id, role],
  )
  await user.session.put('/api/session', { team_id: teamId })
}
