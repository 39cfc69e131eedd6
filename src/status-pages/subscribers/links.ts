/**
 * The links in emails to subscribers. Their tokens are HMACs, so they need no storage. They work until the subscriber's row is deleted,
 * and don't expire before that, because people keep emails for years.
 */
import type { Config } from '../../config/config.ts'
import type { Secret } from '../../lib/secret.ts'
import { foldCase } from '../../lib/text.ts'
import { isSameSecret } from '../../lib/token.ts'

/** What a link lets its reader do. The page of `manage` also has a button to unsubscribe. */
export type LinkPurpose = 'confirm' | 'manage' | 'unsubscribe'

export interface LinkSubscriber {
  id: number
  email: string
}

/** Confirmations need a mail server and a link, and only the public URL says where links lead. */
export function canSubscribe({ mail, url }: Pick<Config, 'mail' | 'url'>): boolean {
  return mail !== undefined && url !== undefined
}

export function createSubscriberToken(secret: Secret, purpose: LinkPurpose, { id, email }: LinkSubscriber): string {
  return `${id}.${secret.hmac('subscribers', `${purpose} ${id} ${foldCase(email)}`).toString('base64url')}`
}

/** Returns the id that a token claims to be for. Check the token with `isSubscriberToken`. */
export function readSubscriberId(token: string): number | undefined {
  const id = /^([1-9]\d{0,14})\.[\w-]{43}$/.exec(token)?.[1]
  return id === undefined ? undefined : Number(id)
}

export function isSubscriberToken(
  secret: Secret,
  purpose: LinkPurpose,
  subscriber: LinkSubscriber,
  token: string,
): boolean {
  return isSameSecret(token, createSubscriberToken(secret, purpose, subscriber))
}

/** Identifies an address in limits without storing it. */
export function hashSubscriberAddress(secret: Secret, email: string): Buffer {
  return secret.hmac('subscribers', `address ${foldCase(email)}`)
}

export interface SubscriberLinks {
  confirm: string
  manage: string
  unsubscribe: string
}

/** The links lead to the public URL, not to the page's custom domain, so that people can still leave after the domain is gone. */
export function createSubscriberLinks(
  { secret, baseUrl }: { secret: Secret; baseUrl: string },
  slug: string,
  subscriber: LinkSubscriber,
): SubscriberLinks {
  const link = (purpose: LinkPurpose) =>
    `${baseUrl}/status/${slug}/${purpose}?token=${createSubscriberToken(secret, purpose, subscriber)}`
  return { confirm: link('confirm'), manage: link('manage'), unsubscribe: link('unsubscribe') }
}
