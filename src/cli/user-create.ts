import { claimInstance } from '../accounts/instance-store.ts'
import { createUser, prepareUser } from '../accounts/users.ts'
import { systemClock } from '../lib/clock.ts'
import type { Command } from './command.ts'
import { passwordDetails, passwordOptions, readAccount } from './read-password.ts'
import { withDatabase } from './with-database.ts'

export const userCreate: Command = {
  name: 'user create',
  summary: 'make an account',
  usage: 'user create <email> [--admin] [--password-stdin]',
  details: `  --admin makes an administrator; the first account always is one.\n${passwordDetails}`,
  options: { admin: { type: 'boolean' }, ...passwordOptions },
  takes: 1,
  async run(invocation) {
    const { email, password, generated } = await readAccount(invocation)
    const wanted = await prepareUser({ email, password, isAdmin: invocation.options['admin'] === true })
    const { user, isFirst } = await withDatabase(invocation, (db) =>
      db.transaction(async (q) => {
        const isFirst = await claimInstance(q, systemClock.now())
        const user = await createUser(q, { ...wanted, isAdmin: wanted.isAdmin || isFirst }, systemClock)
        return { user, isFirst }
      }),
    )
    if (generated) invocation.out(`Password: ${password}\nIt is shown here and never again.`)
    invocation.out(`Made ${user.is_admin ? 'the administrator' : 'the user'} ${user.email} (id ${user.id}).`)
    if (isFirst) {
      invocation.out('This is the first account, so it is an administrator. The set-up link no longer works.')
    }
    return 0
  },
}
