import { setPassword } from '../accounts/users.ts'
import { hashPassword } from '../lib/password-hash.ts'
import type { Command } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { getUserByEmail } from './find-user.ts'
import { passwordDetails, passwordOptions, readAccount } from './read-password.ts'

export const userPassword: Command = {
  name: 'user password',
  summary: 'set a new password and end all sessions',
  usage: 'user password <email> [--password-stdin]',
  details: passwordDetails,
  options: passwordOptions,
  maxArguments: 1,
  async run(invocation) {
    const { email, password, isGenerated } = await readAccount(invocation)
    const hash = await hashPassword(password)
    const user = await withDatabase(invocation, (db) =>
      db.transaction(async (q) => {
        const user = await getUserByEmail(q, email)
        await setPassword(q, user.id, hash)
        return user
      }),
    )
    if (isGenerated) invocation.out(`Password: ${password}\nIt can't be shown again.`)
    invocation.out(`Changed the password of ${user.email}. All sessions were ended; API keys still work.`)
    return 0
  },
}
