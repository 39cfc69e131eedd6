/** Files that say where addresses are, in the format MMDB. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { PlainAddress } from './plain-address.ts'

export interface PlaceDatabase {
  /** What the maker calls it, and when it was made. */
  type: string
  builtAt: Date
  /** The record as it is in the file; undefined where it has none, or is broken. */
  find(address: PlainAddress): unknown
}

/** Comes along with the server, and knows countries only. */
export function bundledPath(): string {
  return createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')
}

/** Reads the whole file; throws where it cannot, or where it is something else. */
export async function openPlaces(path: string): Promise<PlaceDatabase> {
  const [{ Reader }, bytes] = await Promise.all([import('mmdb-lib'), readFile(path)])
  const reader = new Reader(bytes)
  const { databaseType, buildEpoch, ipVersion } = reader.metadata
  return {
    type: databaseType,
    builtAt: buildEpoch,
    find({ family, text }) {
      if (family === 'ipv6' && ipVersion === 4) return undefined
      try {
        return reader.get(text) ?? undefined
      } catch {
        return undefined
      }
    },
  }
}
