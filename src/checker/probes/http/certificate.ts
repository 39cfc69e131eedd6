/** What is wrong with a certificate, in words. */

export interface Certificate {
  validFrom: Date
  validTo: Date
  /** The hosts and addresses that it is for. */
  names: string[]
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const NAMES_SHOWN = 2

/** `code`: what OpenSSL, or Node for the host's name, did not like. */
export function describeFault(code: string, { validFrom, validTo, names }: Certificate, host: string, now: Date) {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return validTo <= now ? `certificate expired ${ago(now, validTo)}` : 'a certificate of its issuer has expired'
    case 'CERT_NOT_YET_VALID':
      return validFrom > now
        ? `certificate is not valid until ${dayOf(validFrom)}`
        : 'a certificate of its issuer is not valid yet'
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return names.length === 0 ? `certificate is not for ${host}` : `certificate is for ${list(names)}, not ${host}`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'certificate is self-signed'
    case 'CERT_REVOKED':
      return 'certificate has been revoked'
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'certificate is not trusted: its issuer is not known, or the server leaves out an intermediate certificate'
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'certificate is not trusted: its issuer is not known'
    default:
      return `certificate is not trusted (${code})`
  }
}

function list(names: string[]): string {
  const more = names.length - NAMES_SHOWN
  return more > 0 ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${more} more` : names.join(' and ')
}

function ago(now: Date, then: Date): string {
  const ms = now.getTime() - then.getTime()
  if (ms >= 2 * DAY) return `${Math.floor(ms / DAY)} days ago`
  if (ms >= 2 * HOUR) return `${Math.floor(ms / HOUR)} hours ago`
  if (ms >= 2 * MINUTE) return `${Math.floor(ms / MINUTE)} minutes ago`
  return 'just now'
}

function dayOf(date: Date): string {
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
}
