import { setPassword } from '../accounts/users.ts'
import { hashPassword } from '../lib/password-hash.ts'
import type { Command } from './command.ts'
import { getUserByEmail } from './find-user.ts'
import { passwordDetails, passwordOptions, readAccount } from './read-password.ts'
import { withDatabase } from './with-database.ts'

export const userPassword: Command = {
  name: 'user password',
  summary: 'set a new password, which ends all sessions',
  usage: 'user password <email> [--password-stdin]',
  details: passwordDetails,
  options: passwordOptions,
  takes: 1,
  async run(invocation) {
    const { email, password, generated } = await readAccount(invocation)
    const hash = await hashPassword(password)
    const user = await withDatabase(invocation, (db) =>
      db.transaction(async (q) => {
        const user = await getUserByEmail(q, email)
        await setPassword(q, user.id, hash, null)
        return user
      }),
    )
    if (generated) invocation.out(`Password: ${password}\nIt is shown here and never again.`)
    invocation.out(`${user.email} has a new password. Whoever was signed in as them is signed out; keys go on working.`)
    return 0
  },
}
