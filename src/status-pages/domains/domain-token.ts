/** Proves that a host leads to this server: every host answers with a token that only this server can compute for it. */
import type { Secret } from '../../lib/secret.ts'

export const DOMAIN_TOKEN_PATH = '/.well-known/belfry-status-page'

/** Takes a Host header, and returns the name alone: in lower case, without the port and the dot of the root domain. */
export function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.?(?::\d*)?$/, '')
}

/** The host is part of the answer, so that a check can tell when a proxy replaces the Host header. */
export function createDomainToken(secret: Secret, host: string): string {
  const name = normalizeHost(host)
  return `${name} ${secret.hmac('custom domain', name).toString('base64url')}`
}
