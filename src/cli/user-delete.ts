import { deleteUser } from '../accounts/users.ts'
import type { Command } from './common/command.ts'
import { confirm } from './common/confirm.ts'
import { withDatabase } from './common/with-database.ts'
import { getEmailArgument, getUserByEmail } from './find-user.ts'

export const userDelete: Command = {
  name: 'user delete',
  summary: 'delete an account and all its data',
  usage: 'user delete <email> [--yes]',
  details: "  Asks for confirmation unless you add --yes. The last admin can't be deleted.",
  options: { yes: { type: 'boolean' } },
  maxArguments: 1,
  async run(invocation) {
    const email = getEmailArgument(invocation)
    const user = await withDatabase(invocation, async (db) => {
      const user = await getUserByEmail(db, email)
      const warning = `This permanently deletes ${user.email}, and the teams without other members with all their data.`
      await confirm(invocation, { warning, word: user.email })
      await db.transaction((q) => deleteUser(q, user.id))
      return user
    })
    invocation.out(`Deleted ${user.email} (id ${user.id}).`)
    return 0
  },
}
