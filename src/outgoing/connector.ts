/** Makes undici use the guard. This file is separate, because undici takes 10 MB of memory and checks don't need it. */
import type { ConnectionOptions } from 'node:tls'
import { buildConnector } from 'undici'
import type { Guard } from './guard.ts'
import type { RefusedAddress } from './refused-address.ts'

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000

export interface ConnectorOptions {
  /** Covers lookup, connection and TLS handshake together. undici's timers are accurate to about a second. */
  timeoutMs?: number
  tls?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity' | 'minVersion' | 'rejectUnauthorized' | 'servername'>
}

/** Creates the `connect` option for undici's Agent, which also uses it for redirects and retries. */
export function createConnector(guard: Guard, options: ConnectorOptions = {}): buildConnector.connector {
  const settings = {
    ...options.tls,
    timeout: options.timeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
    lookup: guard.lookup,
    // Makes undici try the next address if one doesn't respond.
    autoSelectFamily: true,
    // A resumed TLS session would skip the certificate check, and the certificate may have expired.
    maxCachedSessions: 0,
  }
  const dial = buildConnector(settings)

  return (target, callback) => {
    const { hostname, refusal } = vet(guard, target.hostname)
    if (refusal !== undefined) {
      process.nextTick(callback, refusal, null)
      return
    }
    dial({ ...target, hostname }, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      const fault = guard.findConnectionFault(hostname, socket)
      if (fault === undefined) return callback(null, socket)
      socket.destroy()
      callback(fault, null)
    })
  }
}

/** A numeric host needs no lookup, so it is vetted here. undici expects it without the brackets of a URL. */
function vet(guard: Guard, hostname: string): { hostname: string; refusal?: RefusedAddress } {
  try {
    return { hostname: guard.vetNumeric(hostname)?.[0]?.address ?? hostname }
  } catch (refusal) {
    return { hostname, refusal: refusal as RefusedAddress }
  }
}
