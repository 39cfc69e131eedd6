import { isIP } from 'node:net'
import { shorten } from '../lib/shorten.ts'
import type { AddressKind } from './address-policy.ts'

/** Of 253: where the sentence is cut to 300 characters, it still names the setting. */
const HOST_SHOWN = 150

/** Says what was asked for, never what it resolved to: that would tell strangers the addresses of internal names. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'

  constructor(host: string, kind: AddressKind) {
    const leads = isIP(host) === 0 ? 'leads to' : 'is'
    const shown = host.length > HOST_SHOWN ? `${shorten(host, HOST_SHOWN)}…` : host
    const condition = kind === 'the address of a cloud metadata service' ? 'lists that very address' : 'allows it'
    super(`${shown} ${leads} ${kind}, which Belfry connects to only where BELFRY_PRIVATE_TARGETS ${condition}`)
  }
}
