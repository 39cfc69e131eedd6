/** Queries the name servers for the IPv4 and IPv6 addresses of a name in parallel. */
import type { Resolver } from 'node:dns'
import type { ResolvedAddress } from './guard.ts'

/** How long to wait for the second address family (RFC 8305): some name servers never respond to IPv6 queries. */
const SECOND_FAMILY_WAIT_MS = 100

export function isNoSuchName(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOTFOUND' || error.code === 'ENODATA'
}

/** IPv4 comes first: many servers have no IPv6 connectivity, and a ping goes to the first address. */
export function queryNameServers(resolver: Resolver, name: string): Promise<ResolvedAddress[]> {
  return new Promise((resolve, reject) => {
    const addressesByFamily: Record<4 | 6, ResolvedAddress[]> = { 4: [], 6: [] }
    const errors: Error[] = []
    let pendingCount = 2
    let timer: NodeJS.Timeout | undefined

    function onResponse(family: 4 | 6, error: Error | null, addresses: string[]): void {
      pendingCount--
      if (error !== null) errors.push(error)
      else addressesByFamily[family] = addresses.map((address) => ({ address, family }))
      const allAddresses = [...addressesByFamily[4], ...addressesByFamily[6]]
      if (pendingCount === 0) {
        clearTimeout(timer)
        if (allAddresses.length > 0) resolve(allAddresses)
        // Report "no such name" only if there was no other error: a name server that fails may still know the name.
        else reject(errors.find((error) => !isNoSuchName(error)) ?? errors[0] ?? createNoAddressError(name))
      } else if (allAddresses.length > 0) {
        timer = setTimeout(() => resolve(allAddresses), SECOND_FAMILY_WAIT_MS)
      }
    }

    resolver.resolve4(name, (error, addresses) => onResponse(4, error, addresses))
    resolver.resolve6(name, (error, addresses) => onResponse(6, error, addresses))
  })
}

function createNoAddressError(name: string): Error {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENODATA' })
}
