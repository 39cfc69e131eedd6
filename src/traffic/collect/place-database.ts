/** Files that say where addresses are, in the format MMDB. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { PlainAddress } from './plain-address.ts'

export interface PlaceDatabase {
  /** What its maker calls it, and when it was made. */
  about: string
  /** The record as it stands in the file; undefined where there is none. */
  find(address: PlainAddress): unknown
}

/**
 * A city's record has its names in eight languages, and takes 20 µs to read; one that was read before, 2 µs with everything
 * else. They are kept by where they stand in the file: nothing leads back to an address. About 1 kB each.
 */
const RECORDS_MOST = 10_000

/** Comes along with the server, and knows countries only. */
export function bundledPath(): string {
  return createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')
}

/** Reads the whole file. Throws where it cannot, and says why. */
export async function openPlaces(path: string): Promise<PlaceDatabase> {
  const [{ Reader }, bytes] = await Promise.all([import('mmdb-lib'), readFile(path)])
  const reader = open(() => new Reader(bytes, { cache: new BoundedMap(RECORDS_MOST) }), path)
  const { databaseType, buildEpoch, ipVersion } = reader.metadata
  return {
    about: Number.isNaN(buildEpoch.getTime()) ? databaseType : `${databaseType} of ${formatDay(buildEpoch)}`,
    find({ family, text }) {
      // It would be looked up by its first 32 bits.
      if (family === 'ipv6' && ipVersion === 4) return undefined
      try {
        return reader.get(text) ?? undefined
      } catch {
        // The file is damaged there.
        return undefined
      }
    },
  }
}

/** The library stumbles over whatever it takes for metadata. */
function open<T>(read: () => T, path: string): T {
  try {
    return read()
  } catch (error) {
    throw new Error(`${path} is not a database in the format MMDB`, { cause: error })
  }
}

const formatDay = (time: Date) => time.toISOString().slice(0, 10)
