import { deleteUser } from '../accounts/users.ts'
import type { Command } from './common/command.ts'
import { confirm } from './common/confirm.ts'
import { withDatabase } from './common/with-database.ts'
import { getEmailArgument, getUserByEmail } from './find-user.ts'

export const userDelete: Command = {
  name: 'user delete',
  summary: 'delete an account, and teams without other members',
  usage: 'user delete <email> [--yes]',
  details: [
    '  Also deletes every team in which nobody else is a member, with everything in it. Asks for confirmation unless you add --yes.',
    "  The last admin can't be deleted, nor can the last owner of a team with other members.",
  ].join('\n'),
  options: { yes: { type: 'boolean' } },
  maxArguments: 1,
  async run(invocation) {
    const email = getEmailArgument(invocation)
    const user = await withDatabase(invocation, async (db) => {
      const user = await getUserByEmail(db, email)
      const warning = `This permanently deletes ${user.email}, and all teams without other members, with everything in them.`
      await confirm(invocation, { warning, word: user.email })
      await db.transaction((q) => deleteUser(q, user.id))
      return user
    })
    invocation.out(`Deleted ${user.email} (id ${user.id}).`)
    return 0
  },
}
