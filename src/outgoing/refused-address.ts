import { isIP } from 'node:net'
import { formatRefusal } from '../shared/refusal-text.ts'
import type { AddressKind } from './address-policy.ts'

export class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress'

  constructor(host: string, kind: AddressKind) {
    const needsOwnEntry = kind === 'the address of a cloud metadata service'
    super(formatRefusal({ host, isAddress: isIP(host) !== 0, kind, needsOwnEntry }))
  }
}
