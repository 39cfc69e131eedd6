/** Sends an email with a link immediately, and limits how many such emails an address gets. */
import { randomUUID } from 'node:crypto'
import type { MessageSender } from '../channels/message-sender.ts'
import type { Config } from '../config/config.ts'
import type { Secret } from '../lib/secret.ts'
import type { RateLimit, WindowCounter } from '../lib/window-counter.ts'
import { createBlockUrl, nameRecipientCounter } from '../recipients/recipients.ts'
import { PASSWORD_RESET_LIFETIME_MINUTES } from '../shared/limits.ts'
import { DAY_SECONDS } from '../shared/time.ts'
import { formatLinkEmail, type LinkEmail } from './link-email.ts'

export interface LinkEmailDeps {
  config: Config
  counter: WindowCounter
  messageSender: MessageSender
  secret: Secret
}

/**
 * The URL at which links in emails begin, or undefined if this server can't send any. It never comes from a request: anybody could let
 * the link in somebody else's email lead to a host of their own.
 */
export function findLinkBaseUrl({ mail, url }: Pick<Config, 'mail' | 'url'>): string | undefined {
  return mail === undefined ? undefined : url
}

/** Emails of each kind are counted on their own, so that a stranger can't use up the limit for another kind. */
export type LinkEmailKind = 'invitation' | 'password reset' | 'confirmation'

/**
 * How many emails of a kind an address gets, no matter how many people request them. The window of password resets is as long as their links
 * work, so a stranger who uses up the limit can't keep the owner of the address without a link.
 */
const recipientLimits: Record<LinkEmailKind, RateLimit> = {
  invitation: { count: 5, windowSeconds: DAY_SECONDS },
  'password reset': { count: 2, windowSeconds: PASSWORD_RESET_LIFETIME_MINUTES * 60 },
  confirmation: { count: 5, windowSeconds: DAY_SECONDS },
}

/** Counts one email to the address. Returns false if that would exceed the limit. */
export function takeRecipientAllowance(
  { counter, secret }: Pick<LinkEmailDeps, 'counter' | 'secret'>,
  kind: LinkEmailKind,
  address: string,
): boolean {
  return counter.take(`${kind}:${nameRecipientCounter(secret, address)}`, recipientLimits[kind]).allowed
}

/** Resolves when the mail server has accepted the email. Rejects with a DeliveryError. */
export async function sendLinkEmail(
  { config, messageSender, secret }: Pick<LinkEmailDeps, 'config' | 'messageSender' | 'secret'>,
  email: LinkEmail,
): Promise<void> {
  const baseUrl = findLinkBaseUrl(config) ?? ''
  const body = formatLinkEmail(email, createBlockUrl(secret, baseUrl, email.to))
  await messageSender.sendEmail({ id: randomUUID(), to: email.to, ...body })
}
