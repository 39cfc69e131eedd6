/** Guarded dialling for undici, apart from the guard because undici takes 10 MB, which checks do without. */
import type { ConnectionOptions } from 'node:tls'
import { buildConnector } from 'undici'
import type { Guard } from './guard.ts'
import type { RefusedAddress } from './refused-address.ts'

const TIMEOUT_MS = 10_000

export interface ConnectorOptions {
  /** For the look-up, the connection and the TLS handshake together; undici keeps it to the second. */
  timeoutMs?: number
  tls?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity' | 'minVersion' | 'rejectUnauthorized' | 'servername'>
}

/** What `connect` of undici's Agent takes. Redirects and retries come through here as well. */
export function connectorOf(guard: Guard, options: ConnectorOptions = {}): buildConnector.connector {
  const settings = {
    ...options.tls,
    timeout: options.timeoutMs ?? TIMEOUT_MS,
    lookup: guard.lookup,
    // Tries one address after the other, so that a dead one does not matter.
    autoSelectFamily: true,
    // A resumed session would not look at the certificate again, which may have expired since.
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
      const fault = guard.findFault(hostname, socket)
      if (fault === undefined) return callback(null, socket)
      socket.destroy()
      callback(fault, null)
    })
  }
}

/** A numeric host is dialled without a look-up, and without the brackets of a URL. */
function vet(guard: Guard, hostname: string): { hostname: string; refusal?: RefusedAddress } {
  try {
    return { hostname: guard.vetNumeric(hostname)?.[0]?.address ?? hostname }
  } catch (refusal) {
    return { hostname, refusal: refusal as RefusedAddress }
  }
}
