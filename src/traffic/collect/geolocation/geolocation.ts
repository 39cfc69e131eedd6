/** Country, region and city of an IP address. IP addresses are neither cached nor logged. */
import type { Logger } from 'pino'
import { parseIp } from '../../../lib/ip-address.ts'
import { truncate } from '../../../lib/text.ts'
import { type GeoDatabase, getBundledGeoDatabasePath, openGeoDatabase } from './database.ts'

export interface GeoLocation {
  country?: string
  region?: string
  city?: string
}

export type LocateIp = (address: string) => GeoLocation

/**
 * Opens the databases. `EventIntake` calls this when the first event arrives. If no database can be read, events are
 * collected without locations.
 */
export async function loadGeolocation(geoDb: string | undefined, log: Logger): Promise<LocateIp> {
  const [bundledDatabase, configuredDatabase] = await Promise.all([
    tryOpen(getBundledGeoDatabasePath(), log, "Can't read the bundled geolocation database; countries stay unknown"),
    geoDb &&
      tryOpen(geoDb, log, "Can't read BELFRY_GEO_DB; using the bundled database, which has no regions and cities"),
  ])
  const databases = [configuredDatabase, bundledDatabase].filter((database) => typeof database === 'object')
  return (address) => {
    const ip = parseIp(address)
    if (ip === undefined || privateIpPattern.test(ip.text)) return {}
    let record: GeoRecord = {}
    for (const database of databases) {
      if (record.country === undefined) record = { ...parseGeoRecord(database.find(ip)), ...record }
    }
    return toLocation(record)
  }
}

async function tryOpen(path: string, log: Logger, warning: string): Promise<GeoDatabase | undefined> {
  try {
    return await openGeoDatabase(path)
  } catch (error) {
    log.warn({ reason: (error as Error).message }, warning)
    return undefined
  }
}

/** Private, loopback and link-local addresses have no location, whatever a database claims. */
const privateIpPattern =
  /^(0|10|127|169\.254|192\.168|172\.(1[6-9]|2\d|3[01])|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.|^(::1?$|f[cde])/i

/** Appends the country to names, because many regions and cities share a name. */
function toLocation({ country, regionCode, region, city }: GeoRecord): GeoLocation {
  const suffix = country === undefined ? '' : `, ${country}`
  const location: GeoLocation = {}
  if (country !== undefined) location.country = country
  if (country !== undefined && regionCode !== undefined) location.region = `${country}-${regionCode}`
  else if (region !== undefined) location.region = region + suffix
  if (city !== undefined) location.city = city + suffix
  return location
}

const MAX_PLACE_NAME_LENGTH = 100

interface GeoRecord {
  /** ISO 3166-1 code in upper case. */
  country?: string
  /** The part of an ISO 3166-2 code after the country. */
  regionCode?: string
  region?: string
  city?: string
}

/**
 * Reads a record in any of the common layouts. MaxMind and DB-IP nest their fields. The fields of ip-location-db and
 * IPinfo are flat.
 */
function parseGeoRecord(record: unknown): GeoRecord {
  const country =
    readText(record, 'country', 'iso_code') ?? readText(record, 'country_code') ?? readText(record, 'country')
  const subdivision = readValue(readValue(record, 'subdivisions'), '0')
  const regionCode = readText(subdivision, 'iso_code') ?? readText(record, 'region_code')
  const region = readText(subdivision, 'names', 'en') ?? readText(record, 'region') ?? readText(record, 'state1')
  const city = readText(record, 'city', 'names', 'en') ?? readText(record, 'city')
  const geoRecord: GeoRecord = {}
  if (country !== undefined && /^[a-z]{2}$/i.test(country)) geoRecord.country = country.toUpperCase()
  if (regionCode !== undefined && /^[a-z0-9]{1,3}$/i.test(regionCode)) geoRecord.regionCode = regionCode.toUpperCase()
  if (region !== undefined) geoRecord.region = region
  if (city !== undefined) geoRecord.city = city
  return geoRecord
}

/** Replaces control characters, because PostgreSQL rejects NUL and an operator's own database can contain any text. */
function readText(record: unknown, ...path: string[]): string | undefined {
  let value = record
  for (const key of path) value = readValue(value, key)
  if (typeof value !== 'string') return undefined
  const text = value.replace(/\p{Cc}+/gu, ' ').trim()
  return text === '' ? undefined : truncate(text, MAX_PLACE_NAME_LENGTH)
}

function readValue(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
