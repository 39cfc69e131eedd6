/**
 * Protects people whose address somebody entered as a notification channel without asking them. An address gets only a few test emails a
 * day, no matter how many users request them, and each contains a link that blocks all emails from this server. Addresses are stored only
 * as HMACs.
 */
import type { Secret } from '../lib/secret.ts'
import { isSameSecret } from '../lib/token.ts'
import { withDailyAllowance } from '../outbox/daily-allowance.ts'
import { DeliveryError } from '../outbox/delivery-error.ts'
import type { Queries } from '../storage/transaction.ts'
import { countTestEmail, isRecipientBlocked, uncountTestEmail } from './store.ts'

const MAX_TEST_EMAILS_A_DAY = 3

export const BLOCK_EMAILS_PATH = '/api/block-emails'

/** Mail servers ignore case, and most of them deliver `name+tag@example.com` to `name@example.com`. */
const toMailbox = (address: string) => address.toLowerCase().replace(/(?<=.)\+.*(?=@)/, '')

const hashAddress = (secret: Secret, address: string) => secret.hmac('recipients', `address ${toMailbox(address)}`)

/** Names a rate limit counter of the address. */
export const nameRecipientCounter = (secret: Secret, address: string) =>
  `recipient:${hashAddress(secret, address).toString('base64url')}`

const sign = (secret: Secret, hash: string) => secret.hmac('recipients', `link ${hash}`).toString('base64url')

/** The token never expires, because people keep emails for years. It contains no address, because links end up in logs. */
export function createBlockUrl(secret: Secret, baseUrl: string, address: string): string {
  const hash = hashAddress(secret, address).toString('base64url')
  return `${baseUrl}${BLOCK_EMAILS_PATH}?token=${hash}.${sign(secret, hash)}`
}

/** Returns the hash of the address, or undefined if this server did not create the token. */
export function parseBlockToken(secret: Secret, token: string): Buffer | undefined {
  const [hash = '', signature = ''] = token.split('.', 2)
  if (token !== `${hash}.${signature}` || !isSameSecret(signature, sign(secret, hash))) return undefined
  return Buffer.from(hash, 'base64url')
}

/** Throws a DeliveryError if the recipient has blocked this server. */
export async function requireUnblockedRecipient(q: Queries, secret: Secret, address: string): Promise<void> {
  if (!(await isRecipientBlocked(q, hashAddress(secret, address)))) return
  throw new DeliveryError('The recipient has blocked all emails from this server', { permanent: true })
}

/**
 * Throws a DailyLimitReached instead of sending the email if the address has already received the day's limit of test
 * emails.
 */
export function withTestEmailAllowance<T>(
  q: Queries,
  { secret, address, now }: { secret: Secret; address: string; now: Date },
  send: () => Promise<T>,
): Promise<T> {
  const hash = hashAddress(secret, address)
  const allowance = {
    now,
    count: (day: string) => countTestEmail(q, hash, day, MAX_TEST_EMAILS_A_DAY),
    uncount: (day: string) => uncountTestEmail(q, hash, day),
    limitSentence: `This address has received ${MAX_TEST_EMAILS_A_DAY} test emails today, which is the limit. Try again tomorrow.`,
  }
  return withDailyAllowance(allowance, send)
}
