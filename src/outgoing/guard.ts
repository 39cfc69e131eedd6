/**
 * Guarded dialling: every address is vetted between the look-up and the connection, and nothing else is dialled than
 * what was vetted. A check of the URL beforehand would not do: names resolve differently a moment later.
 */
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import { withoutBrackets } from '../lib/web-address.ts'
import { AddressPolicy } from './address-policy.ts'
import type { PrivateTargets } from './private-targets.ts'
import { RefusedAddress } from './refused-address.ts'

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type Resolve = (host: string) => Promise<ResolvedAddress[]>

export class Guard {
  readonly #policy: AddressPolicy
  readonly #resolve: Resolve

  constructor(targets: PrivateTargets, options: { resolve?: Resolve } = {}) {
    this.#policy = new AddressPolicy(targets)
    this.#resolve = options.resolve ?? resolveBySystem
  }

  /** The addresses of a host that may be dialled, in the order of the resolver; at least one. */
  async resolveVetted(host: string): Promise<ResolvedAddress[]> {
    const numeric = this.vetNumeric(host)
    if (numeric !== undefined) return numeric
    const found = await this.#resolve(host)
    const vetted = found.filter(({ address }) => this.#policy.refusal(address) === undefined)
    if (vetted.length > 0) return vetted
    const kind = found[0] && this.#policy.refusal(found[0].address)
    throw kind === undefined ? noSuchHost(host) : new RefusedAddress(host, kind)
  }

  /** The same at once, where nobody has to be asked. Undefined for a name. */
  vetNumeric(host: string): ResolvedAddress[] | undefined {
    const address = withoutBrackets(host)
    const family = isIP(address) as 0 | 4 | 6
    if (family === 0) return undefined
    const kind = this.#policy.refusal(address)
    if (kind !== undefined) throw new RefusedAddress(address, kind)
    return [{ address, family }]
  }

  /**
   * The `lookup` of net.connect and of the agents of node:http(s). They do not ask it about hosts that are numeric
   * already: whoever takes hosts from users calls `resolveVetted` first, or dials with `connectorOf`.
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

  /** The last defence, before anything is said: the system may connect elsewhere than asked, as it does for 0.0.0.0. */
  findFault(host: string, socket: Socket): Error | undefined {
    // Reset between the connection and this line.
    if (socket.remoteAddress === undefined) return withCode(new Error('The connection is gone'), 'ECONNRESET')
    const kind = this.#policy.refusal(socket.remoteAddress)
    return kind && new RefusedAddress(withoutBrackets(host), kind)
  }
}

export async function resolveBySystem(host: string): Promise<ResolvedAddress[]> {
  return (await lookup(host, { all: true, order: 'verbatim' })) as ResolvedAddress[]
}

function noSuchHost(host: string): Error {
  return withCode(new Error(`${host} has no address`), 'ENOTFOUND')
}

function withCode(error: Error, code: string): Error {
  return Object.assign(error, { code })
}
