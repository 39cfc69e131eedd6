import { isIP } from 'node:net'
import type { AddressKind } from './address-policy.ts'

/** Says what was asked for, never what it resolved to: that would tell strangers the addresses of internal names. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'

  constructor(host: string, kind: AddressKind) {
    const leads = isIP(host) === 0 ? 'leads to' : 'is'
    const condition = kind === 'the address of a cloud metadata service' ? 'lists that very address' : 'allows it'
    super(`${host} ${leads} ${kind}, which Belfry connects to only where BELFRY_PRIVATE_TARGETS ${condition}`)
  }
}
