/** Parses /etc/hosts. */
import { isIP } from 'node:net'
import type { ResolvedAddress } from './guard.ts'

export function parseHosts(text: string): Map<string, ResolvedAddress[]> {
  const hosts = new Map<string, ResolvedAddress[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    const family = isIP(address) as 0 | 4 | 6
    if (family === 0) continue
    for (const name of names) {
      const key = name.toLowerCase()
      const addresses = hosts.get(key)
      if (addresses === undefined) hosts.set(key, [{ address, family }])
      else addresses.push({ address, family })
    }
  }
  return hosts
}
