/**
 * Proves that a host points to this server: the response at `DOMAIN_TOKEN_PATH` is a token that only this server can
 * compute for the host.
 */
import { normalizeHost } from '../../lib/network-address.ts'
import type { Secret } from '../../lib/secret.ts'

export const DOMAIN_TOKEN_PATH = '/.well-known/belfry-status-page'

/** The token contains the host, so that a check notices if a proxy replaces the Host header. */
export function createDomainToken(secret: Secret, host: string): string {
  const name = normalizeHost(host)
  return `${name} ${secret.hmac('custom domain', name).toString('base64url')}`
}
