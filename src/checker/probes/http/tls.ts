/** Starts TLS over an open connection. The caller must verify the certificate before it sends anything. */
import { isIP, type Socket } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import type { ServerCertificate } from './certificate-errors.ts'

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
