/** The emails about passwords and addresses of accounts. */
import type { LinkEmail } from '../links/link-email.ts'
import { EMAIL_CONFIRMATION_LIFETIME_HOURS, PASSWORD_RESET_LIFETIME_MINUTES } from '../shared/limits.ts'

interface Recipient {
  to: string
  baseUrl: string
}

const category = 'Account'

export function composeResetEmail({ to, baseUrl, url }: Recipient & { url: string }): LinkEmail {
  return {
    to,
    subject: 'Reset your Belfry password',
    category,
    heading: 'Reset your password',
    paragraphs: [
      `Choose a new password for your account ${to} at ${baseUrl}. All your sessions will end.`,
      `The link works once, within ${PASSWORD_RESET_LIFETIME_MINUTES} minutes.`,
    ],
    link: { label: 'Choose a new password', url },
    reason:
      "You're receiving this because somebody asked for a new password for this address. If it wasn't you, ignore this email: your password stays the same.",
  }
}

export function composeConfirmationEmail({ to, baseUrl, url }: Recipient & { url: string }): LinkEmail {
  return {
    to,
    subject: 'Confirm your email address',
    category,
    heading: 'Confirm your email address',
    paragraphs: [
      `Confirm that ${to} is the address of your Belfry account at ${baseUrl}. You sign in with this address then.`,
      `The link works once, within ${EMAIL_CONFIRMATION_LIFETIME_HOURS} hours.`,
    ],
    link: { label: 'Confirm address', url },
    reason:
      "You're receiving this because somebody entered this address as that of their account. If it wasn't you, ignore this email.",
  }
}

/** Goes to an address that somebody else, or the same person with another account, wants to use. */
export function composeAddressTakenEmail({ to, baseUrl }: Recipient): LinkEmail {
  return {
    to,
    subject: 'Your email address already has an account',
    category,
    heading: 'Your email address already has an account',
    paragraphs: [
      `Somebody with another Belfry account at ${baseUrl} wanted to change its address to ${to}, which is the address of your account. Nothing was changed.`,
      'If it was you, sign in with this address, or change the address of this account first.',
    ],
    reason:
      "You're receiving this because somebody entered this address as that of another account. If it wasn't you, you don't have to do anything.",
  }
}

export function composeEmailChangedNotice({ to, baseUrl, email }: Recipient & { email: string }): LinkEmail {
  return {
    to,
    subject: 'The email address of your Belfry account was changed',
    category,
    heading: 'Your email address was changed',
    paragraphs: [
      `The address of your Belfry account at ${baseUrl} was changed from ${to} to ${email}. You sign in with the new address now.`,
      "If it wasn't you, ask an admin of this server for help immediately: somebody else can use your account.",
    ],
    reason: "You're receiving this because this was the address of the account.",
  }
}
