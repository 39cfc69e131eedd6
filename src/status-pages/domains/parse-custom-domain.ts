/** Parses the custom domain of a status page. This module is pure. */
import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'
import type { ParseResult } from '../../lib/field-parser.ts'
import { normalizeHost } from '../../lib/network-address.ts'
import { MAX_DOMAIN_LENGTH } from '../../shared/websites.ts'
import { parsePublicHost } from '../../websites/domain.ts'

/** The TXT record that proves who owns a custom domain is at this label below the domain. */
export const PROOF_LABEL = '_belfry'

const invalidBecause = (error: string) => ({ errors: [error] })

/** The host of the public URL, as `normalizeHost` returns it. undefined: the public URL is not set. */
export function findOwnHost({ url }: Pick<Config, 'url'>): string | undefined {
  return url === undefined ? undefined : normalizeHost(new URL(url).host)
}

export interface CustomDomainRules {
  /** The result of `findOwnHost`. */
  ownHost: string | undefined
  /** The domains of other users' websites. Custom domains at and below them are rejected. */
  foreignDomains: readonly string[]
  /** The TXT record that would prove that the domain belongs to the caller. */
  proofRecord?: { name: string; value: string } | undefined
}

const isAtOrBelow = (host: string, domain: string) => host === domain || host.endsWith(`.${domain}`)

/** Returns the host in ASCII, as browsers send it. */
export function parseCustomDomain(text: string, rules: CustomDomainRules): ParseResult<string> {
  const { ownHost, foreignDomains, proofRecord } = rules
  const input = text.trim()
  if (isIP(input.replace(/^\[(.*)\]$/, '$1')) !== 0) return invalidBecause('must be a name, not an IP address')
  if (/[:/\\?#@]/.test(input)) {
    return invalidBecause('must be a host such as status.example.com, without a scheme, port or path')
  }
  const result = parsePublicHost(input)
  if ('errors' in result) return result
  const { value: host } = result
  const maxLength = MAX_DOMAIN_LENGTH - `${PROOF_LABEL}.`.length
  if (host.length > maxLength) return invalidBecause(`must have at most ${maxLength} characters`)
  if (isAtOrBelow(host, 'localhost')) return invalidBecause('must not be localhost')
  if (ownHost === undefined) {
    return invalidBecause(
      'needs the public URL of this server, such as https://stats.example.com. Ask an admin to set it',
    )
  }
  if (host === ownHost) {
    return invalidBecause("must not be the host of Belfry itself, because nobody could open Belfry's pages any more")
  }
  if (isAtOrBelow(ownHost, host))
    return invalidBecause(`must not be a parent domain of ${ownHost}, the host of Belfry itself`)
  if (!foreignDomains.some((domain) => isAtOrBelow(host, domain))) return result
  const remedy =
    proofRecord === undefined
      ? ''
      : `. If the domain is yours, create a TXT record with the name ${proofRecord.name} and the value ${proofRecord.value}, and try again`
  return invalidBecause(`must not be at or below a website of another user${remedy}`)
}
