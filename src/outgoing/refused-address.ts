import { isIP } from 'node:net'
import { truncate } from '../lib/text.ts'
import type { AddressKind } from './address-policy.ts'

/**
 * Checks store only the first 300 characters of a message. A complete host name, of up to 253 characters, would leave no
 * room for the name of the setting at the end.
 */
const MAX_SHOWN_HOST_LENGTH = 150

/** Names the requested host but not its address, so that strangers learn no internal addresses. */
export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'

  constructor(host: string, kind: AddressKind) {
    const verb = isIP(host) === 0 ? 'resolves to' : 'is'
    const shownHost = host.length > MAX_SHOWN_HOST_LENGTH ? `${truncate(host, MAX_SHOWN_HOST_LENGTH)}…` : host
    const condition = kind === 'the address of a cloud metadata service' ? 'lists that address' : 'allows it'
    super(`${shownHost} ${verb} ${kind}. Belfry connects to it only if BELFRY_PRIVATE_TARGETS ${condition}`)
  }
}
