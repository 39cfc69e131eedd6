/** Describes why a certificate is not valid. */
import { formatLongDate } from '../../../lib/format.ts'

export interface ServerCertificate {
  validFrom: Date
  validTo: Date
  /** The host names and IP addresses that the certificate is valid for. */
  names: string[]
}

const MAX_NAMES_SHOWN = 2

/** `code` comes from OpenSSL, or from Node if the host name does not match. */
export function describeCertificateError(
  code: string,
  { validFrom, validTo, names }: ServerCertificate,
  host: string,
  now: Date,
): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return validTo <= now
        ? `Certificate expired on ${formatLongDate(validTo)}`
        : "The issuer's certificate has expired"
    case 'CERT_NOT_YET_VALID':
      return validFrom > now
        ? `Certificate is not valid until ${formatLongDate(validFrom)}`
        : "The issuer's certificate is not valid yet"
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return names.length === 0
        ? `Certificate is not valid for ${host}`
        : `Certificate is valid for ${formatNames(names)}, not for ${host}`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'Certificate is self-signed'
    case 'CERT_REVOKED':
      return 'Certificate has been revoked'
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'Certificate is not trusted: its issuer is unknown, or the server does not send an intermediate certificate'
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return 'Certificate is not trusted: its issuer is unknown'
    default:
      return `Certificate is not trusted (${code})`
  }
}

function formatNames(names: string[]): string {
  const hiddenCount = names.length - MAX_NAMES_SHOWN
  return hiddenCount > 0 ? `${names.slice(0, MAX_NAMES_SHOWN).join(', ')} and ${hiddenCount} more` : names.join(' and ')
}
