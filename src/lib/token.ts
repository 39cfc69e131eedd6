/** Random tokens, and the hashes that the database stores instead of them. */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Encodes 32 random bytes as 43 characters. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url')
}

/** A token has 256 random bits, so a plain hash can't be reversed by guessing. */
export function hashToken(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** A digest is the hash of `hashToken` as a string, for use as a Map key. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'base64url')
}

export function decodeDigest(digest: string): Buffer {
  return Buffer.from(digest, 'base64url')
}

/** Compares in constant time, so that the duration doesn't reveal where two secrets differ. */
export function isSameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashToken(a), hashToken(b))
}
