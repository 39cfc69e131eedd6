/** TLS over a connection that stands, and the certificate that was shown. Verified by the caller before anything is said. */
import { isIP, type Socket } from 'node:net'
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls'
import type { Certificate } from './certificate.ts'

let shared: SecureContext | undefined

/** One for all: reading the authorities takes 10 ms. */
function sharedContext(): SecureContext {
  shared ??= createSecureContext()
  return shared
}

export function startTls(socket: Socket, host: string, secureContext = sharedContext()): TLSSocket {
  // A name may end with a dot where it is looked up, not where it is compared.
  const name = host.replace(/\.$/, '')
  return connect({
    socket,
    host: name,
    // An address is not a name.
    ...(isIP(name) === 0 && { servername: name }),
    secureContext,
    // A handshake that ends tells what the certificate is, whatever is wrong with it.
    rejectUnauthorized: false,
    ALPNProtocols: ['http/1.1'],
  })
}

export function certificateOf(socket: TLSSocket): Certificate | undefined {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return undefined
  const names = certificate.subjectAltName?.split(', ') ?? []
  return {
    validFrom: certificate.validFromDate,
    validTo: certificate.validToDate,
    names: names.filter((name) => /^(DNS|IP Address):/.test(name)).map((name) => name.replace(/^[^:]*:/, '')),
  }
}
