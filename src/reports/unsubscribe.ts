/** The token for unsubscribing from one website's reports. It never expires, because people keep emails for years. */
import type { Secret } from '../lib/secret.ts'
import { isSameSecret } from '../lib/token.ts'

export function createUnsubscribeToken(secret: Secret, websiteId: number): string {
  return `${websiteId}.${secret.hmac('unsubscribe', String(websiteId)).toString('base64url')}`
}

export function createUnsubscribeUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/api/unsubscribe?token=${token}`
}

/** Returns the id of the website, or undefined if this server did not create the token. */
export function findWebsiteIdByToken(secret: Secret, token: string): number | undefined {
  const id = /^([1-9]\d{0,15})\./.exec(token)?.[1]
  if (id === undefined || !isSameSecret(token, createUnsubscribeToken(secret, Number(id)))) return undefined
  return Number(id)
}
