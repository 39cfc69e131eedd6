/** Random tokens, and the hash under which they are kept. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 32 random bytes as 43 characters. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A token is random enough that a plain hash cannot be turned back. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** The same hash as text, for a look-up in memory. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

export function hashOfDigest(digest: string): Buffer {
  return Buffer.from(digest, 'base64url')
}

/** Compares without telling by its time where two texts differ. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hashToken(a), hashToken(b))
}
