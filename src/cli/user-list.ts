import { listUsers } from '../accounts/store.ts'
import type { Command } from './common/command.ts'
import { formatTable, formatTime } from './common/table.ts'
import { withDatabase } from './common/with-database.ts'

/** `listUsers` requires a page size. No installation has this many users, so one page holds all of them. */
const MAX_USERS = 1_000_000

export const userList: Command = {
  name: 'user list',
  summary: 'list accounts',
  usage: 'user list [--json]',
  options: { json: { type: 'boolean' } },
  async run(invocation) {
    const { users } = await withDatabase(invocation, (db) => listUsers(db, { limit: MAX_USERS, offset: 0 }))
    if (invocation.options['json']) {
      invocation.out(JSON.stringify(users, null, 2))
      return 0
    }
    if (users.length === 0) {
      invocation.out('No accounts yet. Create the first one with `user create <email>`.')
      return 0
    }
    const rows = users.map((user) => [
      String(user.id),
      user.email,
      user.is_admin ? 'admin' : 'user',
      formatTime(user.created_at),
    ])
    invocation.out(formatTable(['ID', 'EMAIL', 'ROLE', 'CREATED'], rows))
    return 0
  },
}
