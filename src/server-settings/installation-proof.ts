/**
 * Proves that a URL leads to this installation: the response to a random challenge is an HMAC that only nodes with the
 * secret of this installation can compute.
 */
import type { Secret } from '../lib/secret.ts'

export const PROOF_PATH = '/.well-known/belfry-installation'

export const challengePattern = '^[\\w-]{22}$'

export function createProof(secret: Secret, challenge: string): string {
  return secret.hmac('installation proof', challenge).toString('base64url')
}

/**
 * While the public URL is being checked, the server doesn't know its path prefix yet, and the proxy may pass the prefix on.
 * So this path is recognized behind any prefix.
 */
export function stripProofPrefix(url: string): string {
  const start = url.indexOf(PROOF_PATH)
  return start > 0 && !url.slice(0, start).includes('?') ? url.slice(start) : url
}
