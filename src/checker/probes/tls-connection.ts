/** Starts TLS over an open connection, and describes why a certificate is not valid. */
import { isIP, type Socket } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import { formatLongDate } from '../../lib/format.ts'

export interface ServerCertificate {
  validFrom: Date
  validTo: Date
  /** The host names and IP addresses that the certificate is valid for. */
  names: string[]
}

const MAX_NAMES_SHOWN = 2

let sharedContext: SecureContext | undefined

/** All checks share one context, because loading the certificate authorities takes 10 ms. */
function getSharedContext(): SecureContext {
  sharedContext ??= createSecureContext()
  return sharedContext
}

interface TlsOptions {
  secureContext?: SecureContext | undefined
  /** The application protocol to offer to the server. By default none. */
  alpnProtocol?: string
}

/** The caller must verify the certificate before it sends anything. */
export function startTls(socket: Socket, host: string, options: TlsOptions = {}): TLSSocket {
  // A trailing dot is valid in DNS but does not occur in certificates.
  const name = host.replace(/\.$/, '')
  return connect({
    socket,
    host: name,
    // SNI allows host names only, not IP addresses.
    ...(isIP(name) === 0 && { servername: name }),
    secureContext: options.secureContext ?? getSharedContext(),
    // The handshake must complete even with an invalid certificate, so that the check can report what is wrong with it.
    rejectUnauthorized: false,
    ...(options.alpnProtocol !== undefined && { ALPNProtocols: [options.alpnProtocol] }),
  })
}

export function readCertificate(socket: TLSSocket): ServerCertificate | undefined {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return undefined
  const names = certificate.subjectAltName?.split(', ') ?? []
  return {
    validFrom: certificate.validFromDate,
    validTo: certificate.validToDate,
    names: names.filter((name) => /^(DNS|IP Address):/.test(name)).map((name) => name.replace(/^[^:]*:/, '')),
  }
}

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
