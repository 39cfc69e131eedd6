/** What a record of a geo database says, whichever of the usual forms it has. */
import { shorten } from '../../lib/shorten.ts'

const NAME_MOST = 100

export interface PlaceRecord {
  /** ISO 3166-1, in upper case. */
  country?: string
  /** What stands behind the country in a code of ISO 3166-2. */
  regionCode?: string
  region?: string
  city?: string
}

/** Either nested, as MaxMind and DB-IP have it, or flat, as ip-location-db and IPinfo do. */
export function readRecord(record: unknown): PlaceRecord {
  const country = textAt(record, 'country', 'iso_code') ?? textAt(record, 'country_code') ?? textAt(record, 'country')
  const subdivision = at(at(record, 'subdivisions'), '0')
  const regionCode = textAt(subdivision, 'iso_code') ?? textAt(record, 'region_code')
  const region = textAt(subdivision, 'names', 'en') ?? textAt(record, 'region') ?? textAt(record, 'state1')
  const city = textAt(record, 'city', 'names', 'en') ?? textAt(record, 'city')
  const read: PlaceRecord = {}
  if (country !== undefined && /^[a-z]{2}$/i.test(country)) read.country = country.toUpperCase()
  if (regionCode !== undefined && /^[a-z0-9]{1,3}$/i.test(regionCode)) read.regionCode = regionCode.toUpperCase()
  if (region !== undefined) read.region = region
  if (city !== undefined) read.city = city
  return read
}

/** The database takes no NUL, and an operator may have made their file themselves. */
function textAt(record: unknown, ...path: string[]): string | undefined {
  let value = record
  for (const key of path) value = at(value, key)
  if (typeof value !== 'string') return undefined
  const text = value.replace(/\p{Cc}+/gu, ' ').trim()
  return text === '' ? undefined : shorten(text, NAME_MOST)
}

function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined
}
