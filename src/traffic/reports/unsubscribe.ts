/** The token in a report that switches it off, for whoever holds the letter. It does not end: letters are kept for years. */
import type { Secret } from '../../lib/secret.ts'
import { sameText } from '../../lib/token.ts'

export function unsubscribeToken(secret: Secret, websiteId: number): string {
  return `${websiteId}.${secret.hmac('unsubscribe', String(websiteId)).toString('base64url')}`
}

export function unsubscribeUrl(base: string, token: string): string {
  return `${base}/api/unsubscribe?token=${token}`
}

/** The website that it is for; undefined where we did not write it. */
export function websiteOfToken(secret: Secret, token: string): number | undefined {
  const id = /^([1-9]\d{0,15})\./.exec(token)?.[1]
  if (id === undefined || !sameText(token, unsubscribeToken(secret, Number(id)))) return undefined
  return Number(id)
}
