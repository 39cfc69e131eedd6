/**
 * Vets every address after the lookup and before the connection, so that only vetted addresses are dialled. Checking the
 * URL earlier would not be enough, because a name can resolve to another address by the time of the connection.
 */
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { callbackify } from 'node:util'
import { removeBrackets } from '../lib/network-address.ts'
import { AddressPolicy } from './address-policy.ts'
import type { PrivateTargets } from './private-targets.ts'
import { RefusedAddress } from './refused-address.ts'

export interface ResolvedAddress {
  address: string
  family: 4 | 6
}

export type ResolveHost = (host: string) => Promise<ResolvedAddress[]>

export class Guard {
  readonly #policy: AddressPolicy
  readonly #resolve: ResolveHost

  constructor(targets: PrivateTargets, options: { resolve?: ResolveHost } = {}) {
    this.#policy = new AddressPolicy(targets)
    this.#resolve = options.resolve ?? resolveWithSystem
  }

  /** Resolves a host to its allowed addresses, in the resolver's order. Throws if there are none. */
  async resolveVetted(host: string): Promise<ResolvedAddress[]> {
    const numericAddresses = this.vetNumeric(host)
    if (numericAddresses !== undefined) return numericAddresses
    const resolvedAddresses = await this.#resolve(host)
    const vettedAddresses = resolvedAddresses.filter(({ address }) => this.#policy.findRefusal(address) === undefined)
    if (vettedAddresses.length > 0) return vettedAddresses
    const refusedKind = resolvedAddresses[0] && this.#policy.findRefusal(resolvedAddresses[0].address)
    throw refusedKind === undefined ? createNoSuchHostError(host) : new RefusedAddress(host, refusedKind)
  }

  /** Vets a host that is an IP address synchronously. Returns undefined for a host name. */
  vetNumeric(host: string): ResolvedAddress[] | undefined {
    const address = removeBrackets(host)
    const family = isIP(address) as 0 | 4 | 6
    if (family === 0) return undefined
    const refusedKind = this.#policy.findRefusal(address)
    if (refusedKind !== undefined) throw new RefusedAddress(address, refusedKind)
    return [{ address, family }]
  }

  /**
   * The `lookup` option of net.connect and of node:http(s) agents. They don't call it for numeric hosts, so code that gets
   * hosts from users must call `resolveVetted` first or dial with `createConnector`.
   */
  readonly lookup: LookupFunction = (host, options, callback) => {
    callbackify(() => this.resolveVetted(host))((error, vettedAddresses) => {
      if (error) return callback(error, '')
      const requestedFamily = Number(String(options.family ?? 0).replace('IPv', ''))
      const addresses = vettedAddresses.filter(({ family }) => requestedFamily === 0 || family === requestedFamily)
      const [first] = addresses
      if (first === undefined) callback(createNoSuchHostError(host), '')
      else if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }

  /** Checks the connected address before anything is sent: the system may have dialled another one, as it does for 0.0.0.0. */
  findConnectionFault(host: string, socket: Pick<Socket, 'remoteAddress'>): Error | undefined {
    if (socket.remoteAddress === undefined) return withCode(new Error('The connection was reset'), 'ECONNRESET')
    const refusedKind = this.#policy.findRefusal(socket.remoteAddress)
    return refusedKind && new RefusedAddress(removeBrackets(host), refusedKind)
  }
}

export async function resolveWithSystem(host: string): Promise<ResolvedAddress[]> {
  return (await lookup(host, { all: true, order: 'verbatim' })) as ResolvedAddress[]
}

function createNoSuchHostError(host: string): Error {
  return withCode(new Error(`${host} has no address`), 'ENOTFOUND')
}

function withCode(error: Error, code: string): Error {
  return Object.assign(error, { code })
}
