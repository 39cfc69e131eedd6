import { claimInstance } from '../accounts/instance-store.ts'
import { createUser, prepareUser } from '../accounts/users.ts'
import { systemClock } from '../lib/clock.ts'
import type { Command } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { passwordDetails, passwordOptions, readAccount } from './read-password.ts'

export const userCreate: Command = {
  name: 'user create',
  summary: 'create an account',
  usage: 'user create <email> [--admin] [--password-stdin]',
  details: `  --admin makes it an admin. The first account always is one.\n${passwordDetails}`,
  options: { admin: { type: 'boolean' }, ...passwordOptions },
  maxArguments: 1,
  async run(invocation) {
    const { email, password, isGenerated } = await readAccount(invocation)
    const newUser = await prepareUser({ email, password, isAdmin: invocation.options['admin'] === true })
    const { user, isFirstUser } = await withDatabase(invocation, (db) =>
      db.transaction(async (q) => {
        const isFirstUser = await claimInstance(q, systemClock.now())
        const user = await createUser(q, { ...newUser, isAdmin: newUser.isAdmin || isFirstUser }, systemClock)
        return { user, isFirstUser }
      }),
    )
    if (isGenerated) invocation.out(`Password: ${password}\nIt can't be shown again.`)
    invocation.out(`Created ${user.is_admin ? 'admin' : 'user'} ${user.email} (id ${user.id}).`)
    if (isFirstUser) {
      invocation.out('The first account is an admin. The setup link no longer works.')
    }
    return 0
  },
}
