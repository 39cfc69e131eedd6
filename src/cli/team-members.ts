import { listMembers } from '../teams/store.ts'
import type { Command } from './common/command.ts'
import { formatTable, formatTime } from './common/table.ts'
import { withDatabase } from './common/with-database.ts'
import { getTeamArgument, getTeamName } from './find-team.ts'
import { asTeam } from './store.ts'

export const teamMembers: Command = {
  name: 'team members',
  summary: 'list the members of a team with their roles',
  usage: 'team members <team id> [--json]',
  options: { json: { type: 'boolean' } },
  maxArguments: 1,
  async run(invocation) {
    const id = getTeamArgument(invocation)
    const members = await withDatabase(invocation, async (db) => {
      await getTeamName(db, id)
      return asTeam(db, id, (q) => listMembers(q))
    })
    if (invocation.options['json']) {
      invocation.out(JSON.stringify(members, null, 2))
      return 0
    }
    const rows = members.map(({ user_id, email, role, guest_can_edit, joined_at }) => [
      String(user_id),
      email,
      guest_can_edit ? `${role} (may edit)` : role,
      formatTime(joined_at),
    ])
    invocation.out(formatTable(['USER', 'EMAIL', 'ROLE', 'JOINED'], rows))
    return 0
  },
}
