/** Checks the certificate of a server. */
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import type { Clock } from '../../lib/clock.ts'
import { parseHostPort } from '../../lib/network-address.ts'
import type { Guard } from '../../outgoing/guard.ts'
import { DEFAULT_TLS_PORT } from '../../shared/monitors.ts'
import { ConnectionCheck } from './connection-check.ts'
import { createFailure } from './failure.ts'
import type { Probe, TlsTarget } from './probe.ts'
import { type CheckDone, openCheckProbe } from './running-checks.ts'
import { describeCertificateError, readCertificate, startTls } from './tls-connection.ts'

export interface TlsProbeOptions {
  guard: Guard
  clock: Clock
  /** Contains the trusted certificate authorities. The default is Node's own list. */
  secureContext?: SecureContext | undefined
}

export function openTlsProbe(options: TlsProbeOptions): Probe<TlsTarget> {
  return openCheckProbe((target, done) => new TlsCheck(target, options, done))
}

class TlsCheck extends ConnectionCheck {
  readonly #options: TlsProbeOptions
  readonly #serverName: string

  constructor({ url, timeoutMs, tls }: TlsTarget, options: TlsProbeOptions, done: CheckDone) {
    const { host, port = DEFAULT_TLS_PORT } = parseHostPort(url) as { host: string; port: number | undefined }
    super({ host, port, timeoutMs }, options.guard, done)
    this.#options = options
    this.#serverName = tls.server_name ?? host
  }

  protected override onConnect(socket: Socket): void {
    this.phases.start('tlsMs')
    const tlsSocket = startTls(socket, this.#serverName, { secureContext: this.#options.secureContext })
    this.socket = tlsSocket
    tlsSocket.on('error', (error) => this.run(() => this.failWith(error)))
    tlsSocket.once('secureConnect', () =>
      this.run(() => {
        this.phases.complete()
        this.#verify(tlsSocket)
      }),
    )
  }

  #verify(socket: TLSSocket): void {
    this.responded = true
    const certificate = readCertificate(socket)
    if (certificate === undefined) {
      this.finish(createFailure('tls', 'Server sent no certificate'))
      return
    }
    this.expiresAt = certificate.validTo
    const code = socket.authorizationError as unknown as string | null
    const now = this.#options.clock.now()
    const problem = code && describeCertificateError(code, certificate, this.#serverName, now)
    this.finish(problem ? createFailure('certificate', problem) : null)
  }
}
