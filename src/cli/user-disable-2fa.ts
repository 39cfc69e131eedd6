import { deleteOtherSessions } from '../accounts/store.ts'
import { deleteSecondFactors } from '../sign-in/store.ts'
import type { Command } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { getEmailArgument, getUserByEmail } from './find-user.ts'

export const userDisable2fa: Command = {
  name: 'user disable-2fa',
  summary: 'remove all second factors and end all sessions',
  usage: 'user disable-2fa <email>',
  details:
    '  For people who lost their phone and their recovery codes. Removes the authenticator app, recovery codes and passkeys.',
  options: {},
  maxArguments: 1,
  async run(invocation) {
    const email = getEmailArgument(invocation)
    const { user, factors } = await withDatabase(invocation, (db) =>
      db.transaction(async (q) => {
        const user = await getUserByEmail(q, email)
        const factors = await deleteSecondFactors(q, user.id)
        await deleteOtherSessions(q, user.id, null)
        return { user, factors }
      }),
    )
    if (!factors.has_totp && factors.passkeys === 0) {
      invocation.out(`${user.email} has no second factor. All sessions were ended.`)
      return 0
    }
    const removed = [
      ...(factors.has_totp ? ['the authenticator app'] : []),
      ...(factors.passkeys > 0 ? [`${factors.passkeys} ${factors.passkeys === 1 ? 'passkey' : 'passkeys'}`] : []),
    ]
    invocation.out(`Removed ${removed.join(' and ')} of ${user.email}. All sessions were ended; API keys still work.`)
    if (!factors.has_password) {
      invocation.out('This account has no password. Set one with `user password`, unless it uses single sign-on.')
    }
    return 0
  },
}
