/** Geolocation databases in the MMDB format. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { IpAddress } from '../../../lib/ip-address.ts'

export interface GeoDatabase {
  /** The database's name and build date, from its metadata. */
  about: string
  /** Returns the raw record, or undefined if the database has none for this address. */
  find(ip: IpAddress): unknown
}

/**
 * A city record holds its names in eight languages and takes 20 µs to decode. Finding a cached record takes 2 µs in total.
 * The cache key is the record's position in the file, so no IP address stays in memory. A record takes about 1 kB.
 */
const MAX_CACHED_RECORDS = 10_000

/** The database that ships with Belfry. It knows countries only. */
export function getBundledGeoDatabasePath(): string {
  return createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb')
}

/** Reads the whole file into memory. Throws if there is no valid database at the path. */
export async function openGeoDatabase(path: string): Promise<GeoDatabase> {
  const [{ Reader }, bytes] = await Promise.all([import('mmdb-lib'), readFile(path)])
  const reader = explainMmdbErrors(() => new Reader(bytes, { cache: new BoundedMap(MAX_CACHED_RECORDS) }), path)
  const { databaseType, buildEpoch, ipVersion } = reader.metadata
  return {
    about: Number.isNaN(buildEpoch.getTime()) ? databaseType : `${databaseType} of ${formatDay(buildEpoch)}`,
    find({ family, text }) {
      // In an IPv4 database, mmdb-lib would look up an IPv6 address by its first 32 bits.
      if (family === 'ipv6' && ipVersion === 4) return undefined
      try {
        return reader.get(text) ?? undefined
      } catch {
        // mmdb-lib throws if this part of the file is damaged.
        return undefined
      }
    },
  }
}

/** Replaces errors of mmdb-lib. If a file has no valid metadata, mmdb-lib throws errors that don't say so. */
function explainMmdbErrors<T>(parse: () => T, path: string): T {
  try {
    return parse()
  } catch (error) {
    throw new Error(`${path} is not an MMDB database`, { cause: error })
  }
}

const formatDay = (time: Date) => time.toISOString().slice(0, 10)
