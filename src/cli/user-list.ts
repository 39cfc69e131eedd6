import { listUsers } from '../accounts/store.ts'
import type { Command } from './command.ts'
import { formatTable, formatTime } from './table.ts'
import { withDatabase } from './with-database.ts'

/** More than one installation has; the list is kept in memory. */
const MOST = 1_000_000

export const userList: Command = {
  name: 'user list',
  summary: 'show the accounts',
  usage: 'user list [--json]',
  options: { json: { type: 'boolean' } },
  async run(invocation) {
    const { users } = await withDatabase(invocation, (db) => listUsers(db, { limit: MOST, offset: 0 }))
    if (invocation.options['json']) {
      invocation.out(JSON.stringify(users, null, 2))
      return 0
    }
    if (users.length === 0) {
      invocation.out('There is no account yet. `user create <email>` makes the first one.')
      return 0
    }
    const rows = users.map((user) => [
      String(user.id),
      user.email,
      user.is_admin ? 'administrator' : 'user',
      formatTime(user.created_at),
    ])
    invocation.out(formatTable(['ID', 'EMAIL', 'ROLE', 'CREATED'], rows))
    return 0
  },
}
