/** Why a sign-in ends with a page instead of a session. This module is pure. */

export type RefusalReason =
  | 'off'
  | 'no public URL'
  | 'begin again'
  | 'not set up'
  | 'no account'
  | 'no email'
  | 'link by hand'
  | 'taken'
  | 'session ended'

export class SignInRefusal extends Error {
  override readonly name = 'SignInRefusal'
  readonly reason: RefusalReason

  constructor(reason: RefusalReason) {
    super(`single sign-on refused: ${reason}`)
    this.reason = reason
  }
}

interface RefusalText {
  status: number
  title: string
  text: string
}

const ASK_ADMIN = 'Ask the admin of this server.'

/** `isOnly`: nobody can sign in with a password. */
export function describeRefusal(reason: RefusalReason, { isOnly }: { isOnly: boolean }): RefusalText {
  const linkByHand = isOnly ? ASK_ADMIN : 'Sign in with your password, then link the account under Security.'
  switch (reason) {
    case 'off':
      return { status: 404, title: 'Page not found', text: 'Single sign-on is not set up on this server.' }
    case 'no public URL':
      return {
        status: 409,
        title: 'Single sign-on needs the public URL',
        text: 'Set BELFRY_URL, or the public URL in the server settings. The identity provider sends people back to that address.',
      }
    case 'begin again':
      return {
        status: 400,
        title: 'Sign in again',
        text: 'This sign-in has expired, was already used, or began in another browser.',
      }
    case 'not set up':
      return {
        status: 409,
        title: 'Belfry is not set up yet',
        text: 'Create the admin account first, with the setup link that the server printed when it started.',
      }
    case 'no account':
      return {
        status: 403,
        title: 'No account',
        text: `No Belfry account is linked to your account at the identity provider. If you have one: ${linkByHand} Otherwise ask the admin of this server for an account.`,
      }
    case 'no email':
      return {
        status: 403,
        title: 'No email address',
        text: 'The identity provider did not send a valid email address, which a new account needs. Ask the admin of this server to check the scopes.',
      }
    case 'link by hand':
      return {
        status: 403,
        title: 'Link your account',
        text: `An account with your email address exists. ${linkByHand}`,
      }
    case 'taken':
      return {
        status: 409,
        title: 'Already linked',
        text: 'Your account at the identity provider is linked to another Belfry account.',
      }
    case 'session ended':
      return {
        status: 403,
        title: 'Account not linked',
        text: 'Your session has ended or changed in the meantime. Sign in, and link the account again.',
      }
  }
}
