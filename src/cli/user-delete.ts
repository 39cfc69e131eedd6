import { deleteUser } from '../accounts/users.ts'
import type { Command } from './command.ts'
import { confirm } from './confirm.ts'
import { emailOf, getUserByEmail } from './find-user.ts'
import { withDatabase } from './with-database.ts'

export const userDelete: Command = {
  name: 'user delete',
  summary: 'delete an account with everything that is theirs',
  usage: 'user delete <email> [--yes]',
  details: '  Asks first; --yes goes on without. The last administrator cannot be deleted.',
  options: { yes: { type: 'boolean' } },
  takes: 1,
  async run(invocation) {
    const email = emailOf(invocation)
    const user = await withDatabase(invocation, async (db) => {
      const user = await getUserByEmail(db, email)
      const warning = `This deletes ${user.email} with everything that is theirs, for good.`
      await confirm(invocation, { warning, word: user.email })
      await db.transaction((q) => deleteUser(q, user.id))
      return user
    })
    invocation.out(`Deleted ${user.email} (id ${user.id}).`)
    return 0
  },
}
