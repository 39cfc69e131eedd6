import type { Config } from '../config/config.ts'
import { systemClock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { PASSWORD_RESET_LIFETIME_MINUTES } from '../shared/limits.ts'
import type { Command } from './common/command.ts'
import { withDatabase } from './common/with-database.ts'
import { getEmailArgument, getUserByEmail } from './find-user.ts'
import { getLinkBaseUrl, readSavedConfig } from './link-settings.ts'

/** The server refuses the links if `requirePasswordSignIn` does. */
function requirePasswordLinks({ singleSignOn }: Config): void {
  if (singleSignOn?.isOnly !== true) return
  throw new Problem(
    'forbidden',
    `This server allows only single sign-on, so it would refuse the link. People sign in with "${singleSignOn.label}". If that fails, start the server with BELFRY_OIDC_ONLY=off first.`,
  )
}

export const userResetLink: Command = {
  name: 'user reset-link',
  summary: 'print a link with which a user chooses a new password',
  usage: 'user reset-link <email>',
  details: [
    `  The link works once, within ${PASSWORD_RESET_LIFETIME_MINUTES} minutes. It ends all sessions of the user. Use it if the server can't send email,`,
    '  and give it only to this person.',
  ].join('\n'),
  maxArguments: 1,
  async run(invocation) {
    const email = getEmailArgument(invocation)
    // Loaded on demand, so that other commands start faster.
    const { createResetLink, toResetUrl } = await import('../account-links/password-reset.ts')
    const { user, url } = await withDatabase(invocation, async (db) => {
      const user = await getUserByEmail(db, email)
      const config = await readSavedConfig(invocation, db)
      requirePasswordLinks(config)
      const baseUrl = getLinkBaseUrl(invocation, config)
      const { token } = await createResetLink(db, user.email, { clock: systemClock, isMailed: false })
      return { user, url: toResetUrl(baseUrl, token) }
    })
    invocation.out(url)
    invocation.note(
      `${user.email} can choose a new password with this link, once, within ${PASSWORD_RESET_LIFETIME_MINUTES} minutes.`,
    )
    return 0
  },
}
