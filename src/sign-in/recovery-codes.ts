/** Recovery codes, each of which replaces the second factor once. */
import { randomBytes } from 'node:crypto'
import type { Secret } from '../lib/secret.ts'

const CODES = 10
const CODE_LENGTH = 10

/** Crockford's Base32: without i, l, o and u, which are easy to mistake. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

/** `4h7dk-q0xwz`: 50 random bits. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: CODES }, () => {
    const characters = [...randomBytes(CODE_LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
    return `${characters.slice(0, 5)}-${characters.slice(5)}`
  })
}

/** Keyed with the server's secret, because whoever has only the hashes could find codes of this length by trying. */
export function hashRecoveryCode(secret: Secret, userId: number, code: string): Buffer {
  const normalizedCode = code
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replace(/o/g, '0')
    .replace(/[il]/g, '1')
  return secret.hmac('recovery codes', `${userId} ${normalizedCode}`)
}
