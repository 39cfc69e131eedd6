import type { Command } from './common/command.ts'
import { formatTable, formatTime } from './common/table.ts'
import { withDatabase } from './common/with-database.ts'
import { listAllTeams } from './store.ts'

export const teamList: Command = {
  name: 'team list',
  summary: 'list teams with their owners',
  usage: 'team list [--json]',
  options: { json: { type: 'boolean' } },
  async run(invocation) {
    const teams = await withDatabase(invocation, listAllTeams)
    if (invocation.options['json']) {
      invocation.out(JSON.stringify(teams, null, 2))
      return 0
    }
    if (teams.length === 0) {
      invocation.out('No teams yet. Every account has one: create the first account with `user create <email>`.')
      return 0
    }
    const rows = teams.map(({ id, name, members, owners, created_at }) => [
      String(id),
      name,
      String(members),
      owners.join(', '),
      formatTime(created_at),
    ])
    invocation.out(formatTable(['ID', 'NAME', 'MEMBERS', 'OWNERS', 'CREATED'], rows))
    return 0
  },
}
