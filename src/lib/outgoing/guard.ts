/**
 * Guarded dialling: every address is vetted between the look-up and the connection, and nothing else is dialled than
 * what was vetted. A check of the URL beforehand would not do: names resolve differently a moment later.
 */
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { callbackify } from 'node:util'
import { buildConnector } from 'undici'
import { AddressPolicy } from './address-policy.ts'
import type { PrivateTargets } from './private-targets.ts'
import { RefusedAddress } from './refused-address.ts'

const TIMEOUT_MS = 10_000

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type Resolve = (host: string) => Promise<ResolvedAddress[]>

export interface ConnectorOptions {
  /** For the look-up, the connection and the TLS handshake together; undici keeps it to the second. */
  timeoutMs?: number
  tls?: Pick<ConnectionOptions, 'ca' | 'checkServerIdentity' | 'minVersion' | 'rejectUnauthorized' | 'servername'>
}

export class Guard {
  readonly #policy: AddressPolicy
  readonly #resolve: Resolve

  constructor(targets: PrivateTargets, options: { resolve?: Resolve } = {}) {
    this.#policy = new AddressPolicy(targets)
    this.#resolve = options.resolve ?? resolveBySystem
  }

  /** The addresses of a host that may be dialled, in the order of the resolver; at least one. */
  async resolveVetted(host: string): Promise<ResolvedAddress[]> {
    const name = withoutBrackets(host)
    const family = isIP(name) as 0 | 4 | 6
    const found = family === 0 ? await this.#resolve(name) : [{ address: name, family }]
    const vetted = found.filter(({ address }) => this.#policy.refusal(address) === undefined)
    if (vetted.length > 0) return vetted
    const kind = found[0] && this.#policy.refusal(found[0].address)
    throw kind === undefined ? noSuchHost(name) : new RefusedAddress(name, kind)
  }

  /**
   * The `lookup` of net.connect and of the agents of node:http(s). They do not ask it about hosts that are numeric
   * already: whoever takes hosts from users calls `resolveVetted` first, or dials with `connector`.
   */
  readonly lookup: LookupFunction = (host, options, callback) => {
    callbackify(() => this.resolveVetted(host))((error, vetted) => {
      if (error) return callback(error, '')
      const wanted = Number(String(options.family ?? 0).replace('IPv', ''))
      const addresses = vetted.filter(({ family }) => wanted === 0 || family === wanted)
      const [first] = addresses
      if (first === undefined) callback(noSuchHost(host), '')
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }

  /** What `connect` of undici's Agent takes. Redirects and retries come through here as well. */
  connector(options: ConnectorOptions = {}): buildConnector.connector {
    const settings = {
      ...options.tls,
      timeout: options.timeoutMs ?? TIMEOUT_MS,
      lookup: this.lookup,
      // Tries one address after the other, so that a dead one does not matter.
      autoSelectFamily: true,
      // A resumed session would not look at the certificate again, which may have expired since.
      maxCachedSessions: 0,
    }
    const dial = buildConnector(settings)

    return (target, callback) => {
      const hostname = withoutBrackets(target.hostname)
      // A numeric host is dialled without a look-up.
      const kind = isIP(hostname) === 0 ? undefined : this.#policy.refusal(hostname)
      if (kind !== undefined) {
        process.nextTick(callback, new RefusedAddress(hostname, kind), null)
        return
      }
      dial({ ...target, hostname }, (...[error, socket]) => {
        if (error !== null) return callback(error, null)
        const fault = this.#findFault(hostname, socket)
        if (fault === undefined) return callback(null, socket)
        socket.destroy()
        callback(fault, null)
      })
    }
  }

  /** The last defence: the system may connect elsewhere than asked, as it does for 0.0.0.0. */
  #findFault(host: string, socket: Socket): Error | undefined {
    // Reset between the connection and this line.
    if (socket.remoteAddress === undefined) return withCode(new Error('The connection is gone'), 'ECONNRESET')
    const kind = this.#policy.refusal(socket.remoteAddress)
    return kind && new RefusedAddress(host, kind)
  }
}

async function resolveBySystem(host: string): Promise<ResolvedAddress[]> {
  return (await lookup(host, { all: true, order: 'verbatim' })) as ResolvedAddress[]
}

/** URLs write IPv6 addresses in brackets. */
function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}

function noSuchHost(host: string): Error {
  return withCode(new Error(`${host} has no address`), 'ENOTFOUND')
}

function withCode(error: Error, code: string): Error {
  return Object.assign(error, { code })
}
