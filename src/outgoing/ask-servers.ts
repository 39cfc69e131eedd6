/** Both families of addresses of a name, asked of the name servers at once. */
import type { Resolver } from 'node:dns'
import type { ResolvedAddress } from './guard.ts'

/** As RFC 8305 has it: some name servers never say a word about IPv6. */
const GRACE_MS = 100

export function isNoSuchName(error: NodeJS.ErrnoException): boolean {
  return error.code === 'ENOTFOUND' || error.code === 'ENODATA'
}

/** IPv4 first: many servers have no way out by IPv6, and a ping goes to the first address. */
export function askServers(servers: Resolver, name: string): Promise<ResolvedAddress[]> {
  return new Promise((resolve, reject) => {
    const found: Record<4 | 6, ResolvedAddress[]> = { 4: [], 6: [] }
    const errors: Error[] = []
    let open = 2
    let timer: NodeJS.Timeout | undefined

    function note(family: 4 | 6, error: Error | null, addresses: string[]): void {
      open--
      if (error !== null) errors.push(error)
      else found[family] = addresses.map((address) => ({ address, family }))
      const all = [...found[4], ...found[6]]
      if (open === 0) {
        clearTimeout(timer)
        if (all.length > 0) resolve(all)
        // One that says more than that there is nothing.
        else reject(errors.find((one) => !isNoSuchName(one)) ?? errors[0] ?? nothing(name))
      } else if (all.length > 0) {
        timer = setTimeout(() => resolve(all), GRACE_MS)
      }
    }

    servers.resolve4(name, (error, addresses) => note(4, error, addresses))
    servers.resolve6(name, (error, addresses) => note(6, error, addresses))
  })
}

function nothing(name: string): Error {
  return Object.assign(new Error(`${name} has no address`), { code: 'ENODATA' })
}
