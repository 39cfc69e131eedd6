/** Parses the custom domain of a status page. This module is pure. */
import { isIP } from 'node:net'
import type { ParseResult } from '../lib/field-parser.ts'
import { parsePublicHost } from '../websites/domain.ts'

const invalidBecause = (error: string) => ({ errors: [error] })

/** Returns the host in ASCII, as browsers send it. `ownHost` is the host of the application. */
export function parseCustomDomain(text: string, ownHost: string): ParseResult<string> {
  const input = text.trim()
  if (isIP(input.replace(/^\[(.*)\]$/, '$1')) !== 0) return invalidBecause('must be a name, not an IP address')
  if (/[:/\\?#@]/.test(input)) {
    return invalidBecause('must be a host such as status.example.com, without a scheme, port or path')
  }
  const result = parsePublicHost(input)
  if ('errors' in result) return result
  const { value: host } = result
  if (host === 'localhost' || host.endsWith('.localhost')) return invalidBecause('must not be localhost')
  if (host === ownHost) {
    return invalidBecause("must not be the host of Belfry itself, because nobody could open Belfry's pages any more")
  }
  return result
}
