/** Reads a record of a geolocation database in any of the common layouts. */
import { truncate } from '../../../lib/text.ts'

const MAX_PLACE_NAME_LENGTH = 100

export interface GeoRecord {
  /** ISO 3166-1 code in upper case. */
  country?: string
  /** The part of an ISO 3166-2 code after the country. */
  regionCode?: string
  region?: string
  city?: string
}

/** MaxMind and DB-IP nest their fields; ip-location-db and IPinfo have flat ones. */
export function parseGeoRecord(record: unknown): GeoRecord {
  const country =
    readText(record, 'country', 'iso_code') ?? readText(record, 'country_code') ?? readText(record, 'country')
  const subdivision = readValue(readValue(record, 'subdivisions'), '0')
  const regionCode = readText(subdivision, 'iso_code') ?? readText(record, 'region_code')
  const region = readText(subdivision, 'names', 'en') ?? readText(record, 'region') ?? readText(record, 'state1')
  const city = readText(record, 'city', 'names', 'en') ?? readText(record, 'city')
  const parsed: GeoRecord = {}
  if (country !== undefined && /^[a-z]{2}$/i.test(country)) parsed.country = country.toUpperCase()
  if (regionCode !== undefined && /^[a-z0-9]{1,3}$/i.test(regionCode)) parsed.regionCode = regionCode.toUpperCase()
  if (region !== undefined) parsed.region = region
  if (city !== undefined) parsed.city = city
  return parsed
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
